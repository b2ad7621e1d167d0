import MapGeometry
import Testing

@testable import TileCache

/// Tests for the content and the encoding of tile sets.
@Suite struct TileSetTests {
    private func tile(_ z: Int, _ x: Int, _ y: Int) -> TileCoordinate { StoreKey(z, x, y).coordinate }

    /// All tiles of the zooms 0 to 6.
    private static let all = (0...6).flatMap { z in
        (0..<1 << z).flatMap { x in (0..<1 << z).compactMap { TileCoordinate(z: z, x: x, y: $0) } }
    }

    private func isWithin(_ inner: TileCoordinate, _ outer: TileCoordinate) -> Bool {
        let levels = inner.z - outer.z
        return levels >= 0 && inner.x >> levels == outer.x && inner.y >> levels == outer.y
    }

    @Test(arguments: [(0, 0, 0), (1, 1, 0), (14, 8_720, 5_741), (30, (1 << 30) - 1, 0), (30, 0, (1 << 30) - 1)])
    func convertsTileToCellAndBack(z: Int, x: Int, y: Int) {
        let cell = TileCell(tile(z, x, y))
        #expect(cell.zoom == z && cell.x == x && cell.y == y)
        #expect(cell.ancestor(zoom: z) == cell && cell.ancestor(zoom: 0) == TileCell(tile(0, 0, 0)))
        if z > 3 { #expect(cell.ancestor(zoom: 3) == TileCell(tile(3, x >> (z - 3), y >> (z - 3)))) }
    }

    @Test func setWithoutRangeContainsExactlyItsTiles() throws {
        var generator = SystemRandomNumberGenerator()
        let named = Set(Self.all.filter { _ in Int.random(in: 0..<20, using: &generator) == 0 })
        let set = try #require(TileSet(named.shuffled() + named.prefix(3)))
        #expect(set.count == named.count)
        for tile in Self.all { #expect(set.contains(tile) == named.contains(tile), "\(tile)") }
    }

    /// With a range, the finest tiles of the list count. The set contains the tiles above and below them within the
    /// range.
    @Test(arguments: [0...6, 2...4, 5...5, 6...6, 0...0])
    func setWithRangeContainsTilesAboveAndBelow(range: ClosedRange<Int>) throws {
        let named = [tile(3, 1, 6), tile(5, 9, 9), tile(4, 4, 4), tile(6, 63, 0), tile(5, 31, 31), tile(0, 0, 0)]
        let finest = named.filter { outer in !named.contains { $0 != outer && isWithin($0, outer) } }
        #expect(finest.count == 4)
        let set = try #require(TileSet(named, zooms: range))
        for tile in Self.all {
            let isMeant = range.contains(tile.z) && finest.contains { isWithin($0, tile) || isWithin(tile, $0) }
            #expect(set.contains(tile) == isMeant, "\(tile) \(range)")
        }
        #expect(set.zooms == range)
    }

    /// The widened set contains tiles that may be cut out of a tile of the set or composed from its tiles. With 0
    /// levels, tiles are not cut out, so no tiles below are added.
    @Test(arguments: [0, 1, 2, 30], [nil, 3...4] as [ClosedRange<Int>?])
    func widenedSetContainsDerivedTiles(levels: Int, range: ClosedRange<Int>?) throws {
        let set = try #require(TileSet([tile(3, 1, 6), tile(4, 9, 9), tile(4, 3, 12)], zooms: range))
        let widened = set.widened(by: levels)
        let covered = Self.all.filter { set.contains($0) }
        for made in Self.all {
            let isMade = covered.contains { source in
                isWithin(source, made) && source.z - made.z <= 1
                    || isWithin(made, source) && made.z - source.z <= levels
            }
            if isMade { #expect(widened.contains(made), "\(made)") }
        }
        #expect(!widened.contains(tile(4, 15, 0)) && !widened.contains(tile(1, 1, 0)))
        if levels == 0 { #expect(!widened.contains(tile(5, 18, 18)) && !widened.contains(tile(1, 0, 0))) }
        #expect(widened.widened(by: levels).zooms.lowerBound == 1)
    }

    @Test func limitsNumberOfTiles() {
        let tiles = (0...TileSet.mostTiles).map { tile(20, $0, 7) }
        #expect(TileSet(tiles) == nil)
        #expect(TileSet(tiles.dropLast())?.count == TileSet.mostTiles)
        // Repeated tiles count once.
        #expect(TileSet(tiles.dropLast() + tiles.prefix(9))?.count == TileSet.mostTiles)
    }

    // MARK: Encoding

    private static let sets: [TileSet] = [
        TileSet([]), TileSet(all.filter { $0.x % 3 == 1 }), TileSet(all, zooms: 2...9),
        TileSet(all.filter { $0.y % 5 == 2 }, zooms: 0...30)?.widened(by: 4),
        TileSet(
            [TileCoordinate(z: 30, x: 1 << 29, y: (1 << 30) - 1), TileCoordinate(z: 0, x: 0, y: 0)].compactMap(\.self)),
    ].compactMap(\.self)

    @Test func decodesEncodedSet() {
        #expect(Self.sets.count == 5)
        for set in Self.sets { #expect(TileSet(encoded: set.encoded) == set) }
    }

    @Test func rejectsInvalidBytes() {
        let bytes = Self.sets[3].encoded
        for count in 0..<bytes.count {
            // A prefix that ends between two zooms is a valid set.
            if let set = TileSet(encoded: bytes.prefix(count)) { #expect(set.encoded == Array(bytes.prefix(count))) }
        }
        let wrong: [[UInt8]] = [
            [], [0, 0], [2, 0], [1, 2], [1], [1, 1], [1, 1, 4, 3, 0], [1, 1, 0, 31, 0], [1, 1, 0, 1, 31],
            // A repeated zoom, zooms out of order, a zoom that is too deep. A zoom without tiles, a tile beyond its
            // zoom, the last tile plus one.
            [1, 0, 3, 1, 0, 3, 1, 0], [1, 0, 3, 1, 0, 2, 1, 0], [1, 0, 31, 1, 0], [1, 0, 3, 0], [1, 0, 0, 1, 1],
            [1, 0, 1, 2, 3, 0], [1, 0, 1, 2, 0],
            // A number with too many bytes, and a number that is cut off.
            [1, 0, 1, 1, 0x80, 0], [1, 0, 1, 1, 0x80], [1, 0, 1] + [UInt8](repeating: 0xFF, count: 12),
            [1, 0, 30] + [UInt8](repeating: 0xFF, count: 8) + [0x7F, 0],
            // With a range, no tile may lie in another tile.
            [1, 1, 0, 4, 0, 0, 1, 0, 1, 1, 0],
        ]
        for bytes in wrong { #expect(TileSet(encoded: bytes) == nil, "\(bytes)") }
        #expect(TileSet(encoded: [1, 0, 1, 2, 0, 0] as [UInt8]) != nil)
    }

    @Test func changedBytesAreRejectedOrAnotherSet() {
        let bytes = Self.sets[1].encoded
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                if let set = TileSet(encoded: changed) { #expect(set.encoded == changed) }
            }
        }
    }

    @Test(arguments: [64, 1_000, 65_536]) func chunksTogetherEqualSet(bytes: Int) throws {
        let set = Self.sets[2]
        let chunks = set.chunks(ofBytes: bytes)
        #expect(chunks.allSatisfy { $0.encoded.count <= bytes && $0.range == set.range })
        #expect(chunks.flatMap(\.cells) == set.cells)
        for tile in Self.all.prefix(400) {
            #expect(set.contains(tile) == chunks.contains { $0.contains(tile) })
        }
        #expect(Self.sets[0].chunks().isEmpty)
    }
}
