import MapGeometry
import Testing

@testable import TileCache

/// Tests for the cells that cover the area of a clear.
@Suite struct TileAreaCellsTests {
    private static let all = (0...6).flatMap { z in
        (0..<1 << z).flatMap { x in (0..<1 << z).compactMap { TileCoordinate(z: z, x: x, y: $0) } }
    }

    private static func isWithin(_ inner: TileCoordinate, _ outer: TileCoordinate) -> Bool {
        let levels = inner.z - outer.z
        return levels >= 0 && inner.x >> levels == outer.x && inner.y >> levels == outer.y
    }

    private static func set(_ tiles: [(Int, Int, Int)], _ zooms: ClosedRange<Int>? = nil) -> TileArea? {
        TileSet(tiles.map { StoreKey($0.0, $0.1, $0.2).coordinate }, zooms: zooms).map(TileArea.set)
    }

    private static let areas: [TileArea] = [
        .everything, .box(TileBox(StoreKey(4, 3, 9).coordinate)),
        .box(TileBox(zooms: 0...30, northWest: WorldPoint(x: 0.4, y: 0.2), southEast: WorldPoint(x: 0.6, y: 0.3))),
        .box(TileBox(zooms: 3...4, northWest: WorldPoint(x: 0.9, y: 0.7), southEast: WorldPoint(x: 0.1, y: 0.9))),
        set([(5, 3, 3), (2, 3, 0), (6, 60, 60)]), set([(4, 9, 9), (4, 9, 10), (6, 0, 0)], 2...6),
        set([(3, 1, 1)], 5...6),
    ].compactMap(\.self)

    /// The cells cover every tile at the zooms that the area contains, or that may be made from tiles of the area.
    /// Without zooms above or below, every cell has at least one of these tiles.
    @Test(arguments: 0..<7, [(0, 0...1), (2, 2...3), (2, 2...6), (4, 4...6)]) func coversTilesOfArea(
        number: Int, level: (zoom: Int, around: ClosedRange<Int>)
    ) throws {
        let area = Self.areas[number]
        for (above, below) in [(0, 0), (1, 0), (2, 0), (1, 2)] {
            let cells = try #require(
                area.cells(zoom: level.zoom, around: level.around, above: above, below: below, atMost: 100_000))
            let held = Self.all.filter { area.contains($0) }
            let meant = Self.all.filter { tile in
                level.around.contains(tile.z)
                    && held.contains { source in
                        source.z - tile.z <= above && Self.isWithin(source, tile)
                            || tile.z - source.z <= below && Self.isWithin(tile, source)
                    }
            }
            for tile in meant { #expect(cells.contains { Self.isWithin(tile, $0) }, "\(tile)") }
            #expect(Set(cells).count == cells.count && cells.allSatisfy { $0.z == level.zoom })
            guard below == 0, above == 0 else { continue }
            for cell in cells { #expect(meant.contains { Self.isWithin($0, cell) }, "\(cell) holds nothing") }
        }
    }

    @Test func limitsNumberOfCells() throws {
        let box = TileArea.box(TileBox(zooms: 4...4))
        #expect(box.cells(zoom: 4, around: 4...30, above: 0, below: 0, atMost: 256)?.count == 256)
        #expect(box.cells(zoom: 4, around: 4...30, above: 0, below: 0, atMost: 255) == nil)
        #expect(TileArea.everything.cells(zoom: 30, around: 30...30, above: 1, below: 1, atMost: 1 << 20) == nil)
        let set = try #require(Self.set([(2, 0, 0), (2, 3, 3)], 0...30))
        #expect(set.cells(zoom: 4, around: 4...30, above: 0, below: 0, atMost: 32)?.count == 32)
        #expect(set.cells(zoom: 4, around: 4...30, above: 0, below: 0, atMost: 31) == nil)
        #expect(set.cells(zoom: 30, around: 30...30, above: 0, below: 0, atMost: 1 << 20) == nil)
        // The area has no tiles at these zooms.
        let fine = try #require(Self.set([(9, 1, 1)]))
        #expect(fine.cells(zoom: 2, around: 2...5, above: 1, below: 0, atMost: 9) == [])
    }
}
