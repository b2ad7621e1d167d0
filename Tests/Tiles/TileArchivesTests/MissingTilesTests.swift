import MapGeometry
import Testing

@testable import TileArchives

@Suite struct MissingTilesTests {
    /// Returns the missing tiles of an area for an archive with `ids`.
    private func missing(_ area: ExportArea, _ ids: [Range<UInt64>]) -> [TileCoordinate] {
        var (missing, found) = (MissingTiles(area), [TileCoordinate]())
        for range in ids { missing.take(range) { found.append($0) } }
        missing.finish { found.append($0) }
        return found
    }

    @Test func findsTilesBetweenThoseOfTheArchive() throws {
        let area = try ExportArea(.world, zooms: 1...2)
        #expect(missing(area, [1..<21]).isEmpty)
        #expect(missing(area, [0..<3, 4..<20]) == [tile(1, 1, 1), tile(2, 3, 0)])
        #expect(missing(area, [5..<6, 5..<21]) == [tile(1, 0, 0), tile(1, 0, 1), tile(1, 1, 1), tile(1, 1, 0)])
        #expect(missing(area, []) == Array(area.tiles))
        // An archive may have tiles outside of the area.
        #expect(missing(try smallArea(zoom: 1), [0..<1_000]).isEmpty)
    }

    @Test func leavesOutTheEdgesOfRoundedBounds() throws {
        // The edges of tile 4/8/5, as an archive rounds them outwards.
        let edges = tile(4, 8, 5).bounds
        let rounded = GeographicBox(
            west: edges.west - 1e-7, south: edges.south - 1e-7, east: edges.east + 1e-7, north: edges.north + 1e-7)
        #expect(try ExportArea(rounded, zooms: 4...4).count == 9)
        #expect(try Array(ExportArea(rounded.withoutMargin, zooms: 4...4).tiles) == [tile(4, 8, 5)])
        let tiny = GeographicBox(west: 8, south: 47, east: 8.000_001, north: 47.000_001)
        #expect(tiny.withoutMargin == tiny)
        let pacific = GeographicBox(west: 180 - 1e-7, south: -10, east: -170, north: 10)
        #expect(try ExportArea(pacific.withoutMargin, zooms: 3...3).count <= 2)
    }
}
