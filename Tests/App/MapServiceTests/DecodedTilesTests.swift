import Bytes
import MapGeometry
import Raster
import Testing
import Tiles

@testable import MapRenderer
@testable import MapService

/// Tests of the decoded tiles that the steps of an image and the frames of a flight share.
@Suite struct DecodedTilesTests {
    private typealias Tile = RenderSchedule.Tile
    /// Memory cost of a tile of 64 pixels: 24 KiB.
    private let cost = TilePyramid.cost(side: 64, halvings: Halvings(0))

    private func tile(_ x: Int, layer: Int = 0) throws -> Tile {
        let coordinate = try #require(TileCoordinate(z: 9, x: x, y: 0))
        return Tile(id: Tile.ID(layer: layer, coordinate: coordinate, halvings: Halvings(0)), cost: cost)
    }

    private let pyramid = TilePyramid(Pixmap(width: 64, height: 64), side: 64, halvings: Halvings(0))

    private func isKept(_ tile: Tile, in tiles: DecodedTiles) -> Bool {
        if case .decoded = tiles.known(tile.id) { true } else { false }
    }

    /// Runs a step that needs the tiles `numbers`. The step decodes the missing tiles. Returns the numbers of the
    /// tiles that were kept from earlier steps.
    @discardableResult
    private func step(_ numbers: [Int], in tiles: DecodedTiles) throws -> [Int] {
        let needed = try numbers.map { try tile($0) }
        tiles.begin(needed)
        let kept = zip(numbers, needed).filter { isKept($0.1, in: tiles) }.map(\.0)
        for tile in needed where !isKept(tile, in: tiles) { tiles.keep(pyramid, of: tile) }
        tiles.end(needed)
        return kept
    }

    @Test func separatesTilesByLayer() throws {
        let tiles = DecodedTiles(limit: 1 << 20, keepsForFrames: true)
        tiles.beginFrame()
        tiles.begin([try tile(4, layer: 1)])
        tiles.keep(pyramid, of: try tile(4, layer: 1))
        #expect(try isKept(tile(4, layer: 1), in: tiles))
        #expect(try !isKept(tile(4), in: tiles) && !isKept(tile(5, layer: 1), in: tiles))
        #expect(tiles.bytes == cost)
    }

    @Test func dropsTilesThatNoLaterStepNeeds() throws {
        let tiles = DecodedTiles(limit: 1 << 20)
        try step([1, 2], in: tiles)
        #expect(tiles.bytes == 0)
        // The step is over, so a tile that arrives late is not kept.
        tiles.keep(pyramid, of: try tile(1))
        #expect(tiles.bytes == 0)
        var again = try tile(3)
        again = Tile(id: again.id, cost: cost, isLast: false)
        tiles.begin([again])
        tiles.keep(pyramid, of: again)
        tiles.end([again])
        #expect(isKept(again, in: tiles) && tiles.bytes == cost)
    }

    @Test func evictsTheTileThatFramesUsedLeastRecently() throws {
        let tiles = DecodedTiles(limit: 4 * cost, keepsForFrames: true)
        for x in 0..<4 {
            tiles.beginFrame()
            try step([x], in: tiles)
        }
        tiles.beginFrame()
        #expect(try step([0], in: tiles) == [0])
        tiles.beginFrame()
        try step([4], in: tiles)
        #expect(try (0..<5).filter { isKept(try tile($0), in: tiles) } == [0, 2, 3, 4])
        #expect(tiles.bytes == 4 * cost)
    }

    /// If a frame needs more tiles than fit, the frame must not evict tiles that it needs itself.
    @Test func keepsSomeTilesOfAnOversizedFrame() throws {
        let tiles = DecodedTiles(limit: 4 * cost, keepsForFrames: true)
        var kept = 0
        for _ in 0..<5 {
            tiles.beginFrame()
            for x in 0..<9 { kept += try step([x], in: tiles).count }
            #expect(tiles.bytes <= 4 * cost)
        }
        #expect(kept >= 4 * 3)
    }

    /// A step may exceed the limit, because it holds all tiles that it needs. It holds no other tiles then.
    @Test func exceedsItsLimitForOneStepOnly() throws {
        let tiles = DecodedTiles(limit: 2 * cost, keepsForFrames: true)
        tiles.beginFrame()
        try step([1], in: tiles)
        try step([2, 3, 4], in: tiles)
        #expect(tiles.bytes == 3 * cost)
        #expect(try step([2], in: tiles) == [2])
        #expect(tiles.bytes == 2 * cost)
    }

    @Test func keepsEncodedTilesThatAreNeededAgain() throws {
        let source = MapTile(bytes: SharedBytes("not read here"), format: .png, width: 64, height: 64)
        let tiles = DecodedTiles(limit: cost, encodedLimit: source.bytes.count)
        let (first, second) = (try tile(1), try tile(2))
        let (early, other) = (
            Tile(id: first.id, cost: cost, isLast: false, comesBack: true),
            Tile(id: second.id, cost: cost, isLast: false, comesBack: true)
        )
        tiles.begin([early, other])
        tiles.keep(pyramid, of: early, encoded: source)
        // The limit leaves room for one encoded tile only.
        tiles.keep(pyramid, of: other, encoded: source)
        tiles.end([early, other])
        try step([3], in: tiles)
        guard case .encoded = tiles.known(first.id), case .nothing = tiles.known(second.id) else {
            Issue.record("one is kept as it came")
            return
        }
        try step([1], in: tiles)
        guard case .nothing = tiles.known(first.id) else {
            Issue.record("nobody needs it any more")
            return
        }
    }

    @Test func remembersAbsentTilesForOneFrame() throws {
        let tiles = DecodedTiles(limit: 1 << 20, keepsForFrames: true)
        tiles.beginFrame()
        tiles.begin([try tile(1), try tile(2)])
        tiles.keep(nil, of: try tile(1))
        tiles.giveUp([try tile(2).id])
        for x in 1...2 {
            guard case .absent = tiles.known(try tile(x).id) else {
                Issue.record("\(x) is not asked for again")
                return
            }
        }
        // The next frame asks for the tile again.
        tiles.beginFrame()
        guard case .nothing = tiles.known(try tile(1).id) else {
            Issue.record("it may be there by now")
            return
        }
    }
}

/// Avoids the name `Tile`, which means `RenderSchedule.Tile` in the suite.
private typealias MapTile = Tiles.Tile
