import MapGeometry
import Testing

@testable import TileCache

/// Tests for the columns that a box touches at one zoom (docs/spec/model.md 2.1, docs/reference/http.md).
@Suite struct FreshnessBoxTests {
    struct Columns: Sendable {
        let west: Double
        let east: Double
        let zoom: Int
        let expected: Set<Int>
    }

    private static func position(_ longitude: Double) -> Double { (longitude + 180) / 360 }

    private func columns(_ case: Columns) -> Set<Int> {
        let box = TileBox(
            zooms: `case`.zoom...`case`.zoom, northWest: WorldPoint(x: Self.position(`case`.west), y: 0.4),
            southEast: WorldPoint(x: Self.position(`case`.east), y: 0.6))
        return Set(
            (0..<(1 << `case`.zoom)).filter { x in
                (0..<(1 << `case`.zoom)).contains { y in
                    TileCoordinate(z: `case`.zoom, x: x, y: y).map { box.contains($0) } == true
                }
            })
    }

    @Test(arguments: [
        Columns(west: -180, east: 180, zoom: 2, expected: [0, 1, 2, 3]),
        Columns(west: -180, east: -90, zoom: 2, expected: [0]),
        // The edges of the box lie exactly on a tile's edge, and then slightly beyond it.
        Columns(west: -90, east: 0, zoom: 2, expected: [1]),
        Columns(west: -90.001, east: 0.001, zoom: 2, expected: [0, 1, 2]),
        Columns(west: 10, east: 11, zoom: 2, expected: [2]),
        // The box crosses the antimeridian.
        Columns(west: 170, east: -170, zoom: 2, expected: [3, 0]),
        Columns(west: 80, east: -100, zoom: 2, expected: [2, 3, 0]),
        Columns(west: 170, east: -170, zoom: 0, expected: [0]),
        Columns(west: 0, east: -90, zoom: 2, expected: [2, 3, 0]),
    ])
    func touchesColumnsBetweenItsEdges(columns: Columns) {
        #expect(self.columns(columns) == columns.expected)
    }

    /// The box goes nearly around the world and crosses the antimeridian. Both edges lie in one column, and the box
    /// touches every column.
    @Test(arguments: [
        Columns(west: 11, east: 10, zoom: 1, expected: [0, 1]),
        Columns(west: 11, east: 10, zoom: 2, expected: [0, 1, 2, 3]),
        Columns(west: -1, east: -2, zoom: 3, expected: Set(0...7)),
    ])
    func touchesAllColumnsWhenBothEdgesLieInOne(columns: Columns) {
        #expect(self.columns(columns) == columns.expected)
    }
}
