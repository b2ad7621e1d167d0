import MapGeometry
import TestSupport
import Testing

@testable import CDN
@testable import TileCache

/// Tests for the cache tags of tiles, and for the tags that a clear purges.
@Suite struct CDNTagsTests {
    private func tile(_ z: Int, _ x: Int, _ y: Int) throws -> TileCoordinate {
        try #require(TileCoordinate(z: z, x: x, y: y))
    }

    @Test func tagsTileWithLayerAndCells() throws {
        let tags = CDNTags(id: "osm", members: [], zooms: [2, 4])
        #expect(try tags.tags(at: tile(5, 13, 21)) == ["osm", "osm.21", "osm.2130"])
        #expect(try tags.tags(at: tile(4, 6, 10)) == ["osm", "osm.21", "osm.2130"])
        #expect(try tags.tags(at: tile(3, 3, 5)) == ["osm", "osm.21", "osm.21-"])
        #expect(try tags.tags(at: tile(1, 0, 1)) == ["osm", "osm.-"])
        #expect(tags.imageTags == ["osm", "osm.i"])
        #expect(try CDNTags(id: "osm", members: [], zooms: []).tags(at: tile(5, 13, 21)) == ["osm"])
    }

    @Test func tagsMapTileWithItsLayers() throws {
        let tags = CDNTags(id: "map", members: ["sea", "land"], zooms: [1])
        #expect(try tags.tags(at: tile(3, 3, 5)) == ["map", "sea", "land", "map.2"])
        #expect(tags.imageTags == ["map", "sea", "land", "map.i"])
    }

    /// With `isEndless`, a tile may be cut out of a tile any number of zooms above. Any clear of the layer may affect
    /// such a tile.
    @Test func tagsCutOutTileForEveryClear() throws {
        let tags = CDNTags(id: "osm", members: ["sea"], zooms: [2, 4], isEndless: true)
        #expect(try tags.tags(at: tile(12, 20, 30), isCutOut: true) == ["osm", "sea", "osm.o"])
        #expect(try tags.tags(at: tile(1, 0, 1)) == ["osm", "sea", "osm.-"])
        let area = TileArea.box(TileBox(try tile(3, 2, 6)))
        #expect(tags.tags(of: area, above: 1, below: 0, depth: 2, atMost: 100) == ["osm.i", "osm.o", "osm.23-"])
        // For a layer with a known depth, the tags of the tiles above are enough.
        let bounded = CDNTags(id: "osm", members: [], zooms: [2, 4])
        #expect(try bounded.tags(at: tile(5, 13, 21), isCutOut: true) == ["osm", "osm.21", "osm.2130"])
    }

    /// A tile has at most eight tags with 200 bytes. The finest zooms are left out first, then layers.
    @Test(arguments: [1, 5, 20, 64], 0...9) func limitsNumberAndLengthOfTags(length: Int, count: Int) throws {
        let id = String(repeating: "m", count: length)
        let members = (0..<count).map { "\($0)" + String(repeating: "a", count: length - 1) }
        let tags = CDNTags(id: id, members: members, zooms: [4, 8, 12, 16])
        for zoom in 0...22 {
            let all = try tags.tags(at: tile(zoom, (1 << zoom) - 1, 0))
            #expect(all.count <= 8 && all.joined(separator: " ").utf8.count <= 200, "\(all)")
            #expect(all.first == id)
            // All tiles of a zoom have tags for the same zooms. Otherwise a clear would miss some tiles.
            #expect(all.count { $0.contains(".") && !$0.hasSuffix("-") } == tags.zooms.count { $0 <= zoom })
        }
        if length == 1, count == 0 { #expect(tags.zooms == [4, 8, 12, 16]) }
        if length == 1, count == 5 { #expect(tags.zooms == [4, 8]) }
        if count == 9, length < 20 { #expect(tags.zooms == []) }
    }

    // MARK: Clears

    private static let all = (0...7).flatMap { z in
        (0..<1 << z).flatMap { x in (0..<1 << z).compactMap { TileCoordinate(z: z, x: x, y: $0) } }
    }

    private func plan(_ area: TileArea?, zooms: [Int] = [2, 4, 6], below: Int = 0) -> [String] {
        CDNPurgePlan.tags(of: area, [CDNPurgePlan.Part(id: "osm", above: 1, below: below)]) {
            CDNTags(id: $0, members: [], zooms: zooms)
        }
    }

    private func set(_ tiles: [(Int, Int, Int)], _ zooms: ClosedRange<Int>? = nil) throws -> TileArea {
        .set(try #require(TileSet(tiles.map { try tile($0.0, $0.1, $0.2) }, zooms: zooms)))
    }

    @Test func purgesFinestCellsThatCoverClear() throws {
        #expect(plan(nil) == ["osm"])
        #expect(plan(.everything) == ["osm"])
        let one = TileArea.box(TileBox(try tile(7, 20, 50)))
        // The clear covers the tile's own zoom, and the zoom above, whose tile may be composed from this tile.
        #expect(plan(one) == ["osm.i", "osm.023012"])
        let high = TileArea.box(TileBox(try tile(3, 2, 6)))
        #expect(plan(high) == ["osm.i", "osm.23-"])
        let box = TileArea.box(
            TileBox(zooms: 0...30, northWest: WorldPoint(x: 0.51, y: 0.51), southEast: WorldPoint(x: 0.52, y: 0.52)))
        let cells = ["-", "30-", "3000-", "300000", "300001", "300002", "300003"]
        #expect(Set(plan(box)) == Set(["osm.i"] + cells.map { "osm.\($0)" }))
        #expect(plan(box, zooms: []) == ["osm"])
    }

    /// For every kind of area, each cleared tile has a purged tag. Tiles in other cells have no purged tag.
    @Test(arguments: [0, 2]) func purgesTagOfEveryClearedTile(below: Int) throws {
        let areas: [TileArea] = [
            try set([(6, 3, 9), (6, 40, 41), (3, 7, 7)]), try set([(5, 3, 9)], 0...7), try set([(7, 100, 3)], 3...5),
            .box(TileBox(zooms: 2...5, northWest: WorldPoint(x: 0.95, y: 0.2), southEast: WorldPoint(x: 0.05, y: 0.3))),
            .box(TileBox(zooms: 6...7, northWest: WorldPoint(x: 0.1, y: 0.1), southEast: WorldPoint(x: 0.9, y: 0.9))),
        ]
        let tags = CDNTags(id: "osm", members: [], zooms: [2, 4, 6])
        for area in areas {
            let purged = Set(plan(area, below: below))
            #expect(purged.count <= 100)
            for tile in Self.all where area.contains(tile) {
                #expect(!purged.isDisjoint(with: tags.tags(at: tile)), "\(tile)")
            }
            #expect(!purged.isDisjoint(with: tags.imageTags))
        }
        // The purge covers only the cell and the tiles above the cell.
        let purged = Set(plan(try set([(6, 3, 9)]), below: 0))
        let reached = Self.all.filter { !purged.isDisjoint(with: tags.tags(at: $0)) }
        #expect(reached.allSatisfy { $0.z >= 4 && $0.x >> ($0.z - 4) == 0 && $0.y >> ($0.z - 4) == 2 })
    }

    /// If the area has more cells than a request may have tags, the plan uses a coarser zoom, and finally the whole
    /// layer.
    @Test func fallsBackToCoarserCellsWhenTooMany() throws {
        let many = TileArea.box(
            TileBox(zooms: 6...7, northWest: WorldPoint(x: 0.1, y: 0.1), southEast: WorldPoint(x: 0.9, y: 0.9)))
        let tags = plan(many, zooms: [2, 3, 6])
        #expect(tags.count > 1 && tags.count <= 100 && tags.contains("osm.030") && !tags.contains { $0.count > 8 })
        let list = try #require(TileSet((0..<200).map { try tile(14, $0 * 80, $0 * 70) }))
        #expect(plan(.set(list), zooms: [8, 12]) == ["osm"])
        #expect(plan(.set(list), zooms: [2, 12]).count > 1)
    }

    @Test func purgesMapsOfClearedLayer() throws {
        let parts = [CDNPurgePlan.Part(id: "a", above: 1, below: 0), CDNPurgePlan.Part(id: "map", above: 2, below: 0)]
        let tags = CDNPurgePlan.tags(of: .box(TileBox(try tile(4, 0, 0))), parts) {
            // The map has so many layers that its tiles have tags for fewer zooms.
            CDNTags(id: $0, members: [], zooms: $0 == "a" ? [2, 4] : [2])
        }
        #expect(tags == ["a.i", "a.00-", "a.0000", "map.i", "map.00"])
        #expect(CDNPurgePlan.tags(of: nil, parts) { _ in nil } == ["a", "map"])
        let crowd = (0..<150).map { CDNPurgePlan.Part(id: "l\($0)", above: 1, below: 0) }
        let all = CDNPurgePlan.tags(of: .box(TileBox(try tile(4, 0, 0))), crowd) {
            CDNTags(id: $0, members: [], zooms: [2])
        }
        #expect(all == crowd.map(\.id))
    }
}
