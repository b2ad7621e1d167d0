import Testing

@testable import Raster

@Suite struct CanvasTests {
    private let black = RGBA(red: 0, green: 0, blue: 0)

    @Test func fillsWholePixelsWithoutBlur() {
        var canvas = Canvas(width: 6, height: 6)
        canvas.fill(
            Path([1, 4].flatMap { x in [Point(x: x, y: x == 1 ? 1 : 4), Point(x: x, y: x == 1 ? 4 : 1)] }), color: black
        )
        for row in 0..<6 {
            for column in 0..<6 {
                let inside = (1..<4).contains(row) && (1..<4).contains(column)
                #expect(alpha(canvas, column, row) == (inside ? 255 : 0))
            }
        }
    }

    private static let polygons: [([(Double, Double)], Double)] = [
        ([(2, 2), (17.5, 3.25), (9, 18)], 119.625),
        ([(-10, 5), (10, 5), (10, 10), (-10, 10)], 50),
        ([(15, -5), (25, -5), (25, 5), (15, 5)], 25),
        ([(3.25, 3.25), (3.75, 3.25), (3.75, 3.75), (3.25, 3.75)], 0.25),
    ]

    /// The sum of the coverage is the area, also for shapes that cross pixels at any angle or leave the canvas.
    @Test(arguments: polygons)
    func coversTheAreaOfAPolygon(points: [(Double, Double)], area: Double) {
        var coverage = AreaCoverage(PixelBox(left: 0, top: 0, right: 20, bottom: 20))
        coverage.add(points.map { Point(x: $0.0, y: $0.1) })
        for rule in [Canvas.FillRule.nonZero, .evenOdd] {
            let sum = coverage.areas(rule).reduce(0.0) { $0 + Double($1) } / Double(AreaCoverage.full)
            // Crossings are rounded down to subpixels, so the sum is not exact.
            #expect(abs(sum - area) < 0.02)
        }
    }

    @Test func appliesFillRulesToOverlappingTurns() {
        var path = Path()
        for inset in [0.0, 4] {
            path.add([
                Point(x: inset, y: inset), Point(x: 12 - inset, y: inset), Point(x: 12 - inset, y: 12 - inset),
                Point(x: inset, y: 12 - inset),
            ])
        }
        var (evenOdd, nonZero) = (Canvas(width: 12, height: 12), Canvas(width: 12, height: 12))
        evenOdd.fill(path, rule: .evenOdd, color: black)
        nonZero.fill(path, rule: .nonZero, color: black)
        #expect(alpha(evenOdd, 6, 6) == 0 && alpha(evenOdd, 2, 2) == 255)
        #expect(alpha(nonZero, 6, 6) == 255 && alpha(nonZero, 2, 2) == 255)
    }

    @Test func drawsCrispLinesOnPixelCentres() {
        var canvas = Canvas(width: 9, height: 9)
        canvas.stroke(Path([Point(x: -3, y: 4.5), Point(x: 12, y: 4.5)]), width: 1, color: black)
        for column in 0..<9 {
            #expect((0..<9).map { alpha(canvas, column, $0) } == [0, 0, 0, 0, 255, 0, 0, 0, 0])
        }
    }

    @Test func coversCrossingLinesOnce() {
        let ink = RGBA(red: 0, green: 0, blue: 0, alpha: 100)
        var canvas = Canvas(width: 9, height: 9)
        var path = Path([Point(x: 0, y: 4.5), Point(x: 9, y: 4.5)])
        path.add([Point(x: 4.5, y: 0), Point(x: 4.5, y: 9)])
        canvas.stroke(path, width: 1, color: ink)
        #expect(alpha(canvas, 4, 4) == 100 && alpha(canvas, 2, 4) == 100)
    }

    @Test func blendsOverExistingPixels() {
        var canvas = Canvas(width: 1, height: 1, background: RGBA(red: 0, green: 0, blue: 255))
        canvas.fillRectangle(left: 0, top: 0, right: 1, bottom: 1, color: RGBA(red: 255, green: 0, blue: 0, alpha: 128))
        #expect(canvas.pixmap.bytes == [128, 0, 127, 255])
        var clear = Canvas(width: 1, height: 1)
        clear.fillRectangle(left: 0, top: 0, right: 0.5, bottom: 1, color: RGBA(red: 9, green: 8, blue: 7))
        #expect(clear.pixmap.bytes == [9, 8, 7, 128])
    }

    @Test func ignoresShapesOutside() {
        var canvas = Canvas(width: 4, height: 4)
        canvas.fillRectangle(left: -1e12, top: 9, right: 1e12, bottom: 12, color: black)
        canvas.stroke(Path([Point(x: -1e12, y: -50), Point(x: 1e12, y: -40)]), width: 3, color: black)
        canvas.fill(Path([]), color: black)
        #expect(canvas.pixmap == Pixmap(width: 4, height: 4))
    }

    private func alpha(_ canvas: Canvas, _ column: Int, _ row: Int) -> UInt8 {
        canvas.pixmap.bytes[(row * canvas.pixmap.width + column) * 4 + 3]
    }

    @Test func fillsAreasWithLongNearlyLevelEdges() {
        // The edge is so flat that it has no height left after many halvings.
        var canvas = Canvas(width: 8, height: 8, background: .transparent)
        let color = RGBA(red: 1, green: 2, blue: 3)
        canvas.fill(
            Path([Point(x: -1e9, y: 4), Point(x: 1e9, y: 4 + 1 / 256), Point(x: 1e9, y: 9), Point(x: -1e9, y: 9)]),
            color: color)
        #expect(canvas.pixmap.bytes[(5 * 8 + 3) * 4] == 1)
        #expect(canvas.pixmap.bytes[(2 * 8 + 3) * 4 + 3] == 0)
    }
}
