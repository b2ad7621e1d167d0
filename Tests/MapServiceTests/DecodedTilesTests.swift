import MapGeometry
import Raster
import Testing

@testable import MapService

/// What the frames of a flight share.
@Suite struct DecodedTilesTests {
    private let pixmap = Pixmap(width: 64, height: 64)

    private func tile(_ x: Int) throws -> TileCoordinate { try #require(TileCoordinate(z: 9, x: x, y: 0)) }

    @Test func keepsTheTilesOfEachLayer() throws {
        let tiles = DecodedTiles(limit: 1 << 20)
        tiles.beginFrame()
        tiles.keep(pixmap, of: 1, at: try tile(4))
        #expect(tiles.tile(of: 1, at: try tile(4)) == pixmap)
        #expect(tiles.tile(of: 0, at: try tile(4)) == nil)
        #expect(tiles.tile(of: 1, at: try tile(5)) == nil)
    }

    @Test func dropsWhatNoFrameHasSeenForLongest() throws {
        // Each takes 24 KiB.
        let tiles = DecodedTiles(limit: 100_000)
        for x in 0..<4 {
            tiles.beginFrame()
            tiles.keep(pixmap, of: 0, at: try tile(x))
        }
        #expect(tiles.tile(of: 0, at: try tile(0)) != nil)
        tiles.beginFrame()
        tiles.keep(pixmap, of: 0, at: try tile(4))
        let kept = try (0..<5).filter { tiles.tile(of: 0, at: try tile($0)) != nil }
        #expect(kept == [0, 2, 3, 4])
    }

    /// Else each would push the next out that the frame needs.
    @Test func keepsWhatFitsOfAFrameThatIsTooLarge() throws {
        let tiles = DecodedTiles(limit: 100_000)
        for _ in 0..<3 {
            tiles.beginFrame()
            for x in 0..<9 where tiles.tile(of: 0, at: try tile(x)) == nil {
                tiles.keep(pixmap, of: 0, at: try tile(x))
            }
        }
        #expect(try (0..<9).filter { tiles.tile(of: 0, at: try tile($0)) != nil } == [0, 1, 2, 3])
    }
}
