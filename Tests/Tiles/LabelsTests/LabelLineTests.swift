import Foundation
import MapGeometry
import Raster
import Testing

@testable import Labels

/// Labels along lines.
@Suite struct LabelLineTests {
    /// Returns the shown label of a line as a curve in points of the world.
    private func found(_ text: String, _ vertices: [WorldPoint], zoom: Int) -> (curve: LabelCurve, anchor: Point)? {
        let set = LabelSet([Label(text, at: .along(0..<vertices.count))], vertices: vertices, size: 11)
        let side = Double(256 << zoom)
        guard let item = set.placed(zoom: zoom).items(of: set).first, case .along(let curve) = item.spot else {
            return nil
        }
        return (curve, Point(x: item.anchor.x * side, y: item.anchor.y * side))
    }

    /// A part of a circle around the middle of the world. `radius` is in points of zoom 2.
    private func arc(radius: Double, from start: Double = .pi, to end: Double = 2 * .pi) -> [WorldPoint] {
        (0...200).map { index in
            let angle = start + (end - start) * Double(index) / 200
            return WorldPoint(x: 0.5 + radius / 1_024 * cos(angle), y: 0.5 + radius / 1_024 * sin(angle))
        }
    }

    @Test func followsACurve() throws {
        let (curve, anchor) = try #require(found("A name along an arc", arc(radius: 80), zoom: 2))
        #expect(curve.points.count > 4)
        for point in curve.points {
            let distance = hypot(anchor.x + point.x - 512, anchor.y + point.y - 512)
            #expect(abs(distance - 80) < 1)
        }
        #expect(curve.points.first.map { $0.x < 0 } == true && curve.points.last.map { $0.x > 0 } == true)
    }

    /// A line that bends too much for its text has no label. The same line is smooth enough at a deeper zoom.
    @Test func leavesOutTightCurves() {
        let line = arc(radius: 20)
        #expect(found("A name", line, zoom: 2) == nil)
        #expect(found("A name", line, zoom: 4) != nil)
    }

    @Test func prefersAStraightPart() throws {
        // The arc lies in the west, and the straight part in the east.
        let line = arc(radius: 100) + (1...10).map { WorldPoint(x: 0.5 + (100 + 20 * Double($0)) / 1_024, y: 0.5) }
        let (curve, anchor) = try #require(found("A short name", line, zoom: 2))
        #expect(curve.points.count == 2 && abs(anchor.y - 512) < 1)
    }

    /// The direction of the line in the file does not matter.
    @Test(arguments: [false, true]) func isNeverUpsideDown(isReversed: Bool) throws {
        let line = arc(radius: 80)
        let (curve, _) = try #require(found("A name along an arc", isReversed ? line.reversed() : line, zoom: 2))
        for (one, other) in zip(curve.points, curve.points.dropFirst()) { #expect(one.x < other.x) }
    }

    /// The boxes of a text on a circle cover each point on its middle line, and little more.
    @Test func coversTheTextWithBoxes() throws {
        let (curve, _) = try #require(found("A name along an arc", arc(radius: 80), zoom: 2))
        let boxes = curve.boxes(height: 15)
        for point in curve.points {
            #expect(boxes.contains { $0.grown(by: 1e-9).meets(LabelBox(around: point.x, point.y, reach: 1e-6)) })
        }
        #expect(boxes.allSatisfy { $0.right - $0.left < 30 && $0.bottom - $0.top < 30 })
    }

    @Test func bendsPointsOfALetter() {
        let straight = LabelCurve(points: [Point(x: -10, y: -5), Point(x: 10, y: -5)], length: 20)
        for (x, y) in [(0.0, 0.0), (10, 3), (20, -4), (-1, 0), (21, 0)] {
            let found = straight.bent(Point(x: x, y: y), scale: 1)
            #expect(abs(found.x - (x - 10)) < 1e-9 && abs(found.y - (y - 5)) < 1e-9)
            let double = straight.bent(Point(x: 2 * x, y: 2 * y), scale: 2)
            #expect(abs(double.x - 2 * found.x) < 1e-9 && abs(double.y - 2 * found.y) < 1e-9)
        }
        // Downwards: what lies below the middle line of the text lies in the west.
        let down = LabelCurve(points: [Point(x: 0, y: 0), Point(x: 0, y: 20)], length: 20)
        let found = down.bent(Point(x: 10, y: 3), scale: 1)
        #expect(abs(found.x + 3) < 1e-9 && abs(found.y - 10) < 1e-9)
    }
}
