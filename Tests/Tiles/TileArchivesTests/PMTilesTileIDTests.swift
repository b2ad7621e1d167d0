import MapGeometry
import Testing

@testable import TileArchives

/// Tests for the numbers of tiles (PMTiles 3, Tile IDs). The package pmtiles of PyPI has computed the expected values.
@Suite struct PMTilesTileIDTests {
    static let known: [(id: UInt64, z: Int, x: Int, y: Int)] = [
        (0, 0, 0, 0), (1, 1, 0, 0), (2, 1, 0, 1), (3, 1, 1, 1), (4, 1, 1, 0), (5, 2, 0, 0), (20, 2, 3, 0),
        (21, 3, 0, 0), (84, 3, 7, 0), (85, 4, 0, 0), (1_365, 6, 0, 0), (5_592_404, 11, 2_047, 0),
        (19_078_479, 12, 3_423, 1_763), (12_345_678_901_234_567, 27, 28_321_590, 127_869_138),
        (1_234_567_890_123_456_789, 30, 963_875_231, 589_600_647),
        (1_537_228_672_809_129_300, 30, 1_073_741_823, 0), (1_209, 5, 17, 11),
        (1_300_434_762_852, 20, 548_000, 367_123), (1_345_075_088_707_988_138, 30, 536_870_912, 536_870_911),
    ]

    @Test(arguments: known)
    func followsTheHilbertCurve(id: UInt64, z: Int, x: Int, y: Int) throws {
        let tile = try #require(TileCoordinate(z: z, x: x, y: y))
        #expect(PMTilesTileID(tile).value == id)
        #expect(PMTilesTileID(id)?.tile == tile)
        #expect(PMTilesTileID(id)?.zoom == z)
    }

    @Test func hasNoTileBeyondZoom30() {
        #expect(PMTilesTileID(PMTilesTileID.count - 1) != nil)
        for id in [PMTilesTileID.count, 1 << 62, 1 << 63, .max] { #expect(PMTilesTileID(id) == nil) }
    }

    @Test func givesEachTileOfSmallZoomsItsOwnID() {
        for id in 0..<UInt64(21_845) { #expect(PMTilesTileID(id).map { PMTilesTileID($0.tile).value } == id) }
    }

    @Test func movesByOneTileAtATime() throws {
        // Zoom 6 has the IDs 1,365 to 5,460.
        for id in UInt64(1_365)..<5_460 {
            let (from, to) = (try #require(PMTilesTileID(id)).tile, try #require(PMTilesTileID(id + 1)).tile)
            #expect(abs(from.x - to.x) + abs(from.y - to.y) == 1)
        }
    }
}
