import Foundation
import Testing

@testable import Raster

@Suite struct StrokeStyleTests {
    /// Returns the area in pixels that a stroke along `points` covers on a canvas of 64 × 64 pixels.
    private func area(_ points: [(Double, Double)], _ style: StrokeStyle, closed: Bool = false) -> Double {
        let box = PixelBox(left: 0, top: 0, right: 64, bottom: 64)
        var outline = StrokeOutline(box, style: style)
        for contour in Path(points.map { Point(x: $0.0, y: $0.1) }, closed: closed).contours { outline.add(contour) }
        return outline.coverage.areas(.nonZero).reduce(0) { $0 + Double($1) } / Double(AreaCoverage.full)
    }

    private static let line = [(10.0, 20.0), (40.0, 20.0)]
    private static let corner = [(10.0, 50.0), (10.0, 10.0), (50.0, 10.0)]

    /// The line has 30 × 6 pixels.
    @Test(arguments: [(StrokeStyle.Cap.butt, 180.0), (.square, 216), (.round, 180 + 9 * .pi)])
    func addsCapsBeyondTheEnds(cap: StrokeStyle.Cap, area expected: Double) {
        // Arcs consist of chords, which lie inside the arc.
        #expect(abs(area(Self.line, StrokeStyle(width: 6, join: .bevel, cap: cap)) - expected) < 0.6)
    }

    /// Two lines of 40 × 6 pixels meet at a corner. Their inner halves overlap in a square of 3 × 3 pixels.
    @Test(arguments: [
        (StrokeStyle.Join.bevel, 4.5), (.miter(limit: 1.5), 9.0), (.miter(limit: 1.4), 4.5),
        (.round, 2.25 * .pi),
    ])
    func fillsTheOuterCornerByJoins(join: StrokeStyle.Join, wedge: Double) {
        let expected = 2 * 240 - 9 + wedge
        #expect(abs(area(Self.corner, StrokeStyle(width: 6, join: join, cap: .butt)) - expected) < 0.3)
        #expect(abs(area(Self.corner.reversed(), StrokeStyle(width: 6, join: join, cap: .butt)) - expected) < 0.3)
    }

    @Test func joinsTheEndsOfClosedContours() {
        let square = [(10.0, 10.0), (40.0, 10.0), (40.0, 40.0), (10.0, 40.0)]
        let style = StrokeStyle(width: 6, join: .miter(limit: 4), cap: .round)
        #expect(area(square, style, closed: true) == Double(36 * 36 - 24 * 24))
    }

    @Test func turnsBackWithoutAHole() {
        let style = StrokeStyle(width: 6, join: .round, cap: .butt)
        let there = [(10.0, 20.0), (40.0, 20.0), (12.0, 20.0)]
        #expect(abs(area(there, style) - (180 + 4.5 * .pi)) < 0.3)
    }

    @Test func drawsTheCapsOfAPoint() {
        #expect(area([(20, 20)], StrokeStyle(width: 6, cap: .butt)) == 0)
        #expect(area([(20, 20)], StrokeStyle(width: 6, cap: .square)) == 36)
        #expect(abs(area([(20, 20), (20, 20)], StrokeStyle(width: 6, cap: .round)) - 9 * .pi) < 0.6)
    }

    private static let patterns: [([Double], Double)] = [
        ([8, 12], 32), ([100, 1], 80), ([0, 5], 0), ([30, 20], 60), ([5, 5, 10], 80), ([0.1, 0.1], 80),
        ([.nan, 1], 80), ([-4, 20], 80),
    ]

    /// The contour has two sides of 40 pixels. The dashes begin at its start.
    @Test(arguments: patterns)
    func continuesDashesAroundCorners(dashes: [Double], length: Double) {
        let style = StrokeStyle(width: 2, join: .bevel, cap: .butt, dashes: dashes)
        // Both lines share a square of area 1 at the corner, and the bevel adds half of a square.
        let corner = length == 80 ? 0.5 : 0
        #expect(abs(area(Self.corner, style) - (length * 2 - corner)) < 0.1)
    }

    /// Only dashes on the canvas are made, no matter how far away a line begins.
    @Test func drawsLongDashedLinesCheaply() {
        var canvas = Canvas(width: 64, height: 64)
        let style = StrokeStyle(width: 2, join: .miter(limit: 3), cap: .butt, dashes: [4, 4])
        let path = Path([Point(x: -1e9, y: 31), Point(x: 1e9, y: 31)])
        canvas.stroke(path, style: style, color: RGBA(red: 0, green: 0, blue: 0))
        let inked = (0..<64).filter { canvas.pixmap.bytes[(31 * 64 + $0) * 4 + 3] > 127 }.count
        #expect(inked == 32)
    }

    @Test(arguments: [0, -3, .nan, .infinity, 1e300]) func survivesAnyWidth(width: Double) {
        var canvas = Canvas(width: 8, height: 8)
        let points = [(1.0, 1.0), (.nan, 2), (7, 7), (.infinity, 0), (-1e300, 1e300)].map { Point(x: $0.0, y: $0.1) }
        for style in [StrokeStyle(width: width), StrokeStyle(width: width, join: .bevel, cap: .square)] {
            canvas.stroke(Path(points), style: style, color: RGBA(red: 0, green: 0, blue: 0))
        }
        if !(width > 0) || width == .infinity { #expect(canvas.pixmap == Pixmap(width: 8, height: 8)) }
    }
}
