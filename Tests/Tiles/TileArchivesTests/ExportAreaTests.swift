import MapGeometry
import TestSupport
import Testing

@testable import TileArchives

@Suite struct ExportAreaTests {
    @Test func countsTheWholeWorld() throws {
        let area = try ExportArea(.world, zooms: 0...8)
        #expect(area.counts == (0...8).map { 1 << (2 * $0) })
        #expect(Array(area.tiles).count == area.count)
    }

    @Test(arguments: [tile(0, 0, 0), tile(1, 1, 0), tile(7, 66, 45), tile(18, 137_000, 91_000), tile(30, 5, 1 << 29)])
    func hasOneTileForTheBoxOfATile(_ tile: TileCoordinate) throws {
        let area = try ExportArea(tile.bounds, zooms: 0...tile.z)
        #expect(area.counts == Array(repeating: 1, count: tile.z + 1))
        #expect(area.tiles.map { $0 } == (0...tile.z).compactMap { tile.ancestor(atZoom: $0) })
    }

    @Test func hasNoTileTwiceAcrossTheAntimeridian() throws {
        let area = try ExportArea(GeographicBox(west: 170, south: -10, east: -170, north: 10), zooms: 0...7)
        let tiles = Array(area.tiles)
        #expect(Set(tiles).count == tiles.count)
        #expect(tiles.count == area.count)
        #expect(Array(area.counts.prefix(2)) == [1, 4])
        // Each side has 10 of 360 degrees, which are 3.6 of 128 columns.
        let columns = Set(tiles.filter { $0.z == 7 }.map(\.x))
        #expect(columns == Set([0, 1, 2, 3, 124, 125, 126, 127]))
    }

    @Test func listsTilesInAscendingOrderOfTheirIDs() throws {
        let area = try ExportArea(GeographicBox(west: -75, south: -31, east: 143, north: 71), zooms: 0...6)
        var (order, count) = (TileOrder(), 0)
        for tile in area.tiles {
            try order.check(tile)
            count += 1
        }
        #expect(count == area.count)
    }

    @Test func equalsAListOfAllTilesInTheBox() throws {
        var random = SeededRandom(seed: 1)
        for _ in 0..<40 {
            let (west, south) = (
                Double.random(in: -180...179, using: &random), Double.random(in: -89...88, using: &random)
            )
            let east = Double.random(in: west...180, using: &random).nextUp
            let box = try GeographicBox.checked(
                west: west, south: south, east: min(east, 180), north: Double.random(in: south...89, using: &random))
            guard box.south < 85, box.north > -85 else { continue }
            let area = try ExportArea(box, zooms: 5...5)
            let expected = allTiles(5).filter { tile in
                let edges = tile.bounds
                return edges.west < box.east && edges.east > box.west && edges.south < box.north
                    && edges.north > box.south
            }
            #expect(Set(area.tiles) == Set(expected), "\(box)")
        }
    }

    @Test func countsADeepBoxAtOnce() throws {
        let area = try ExportArea(GeographicBox(west: 5.9, south: 45.8, east: 10.5, north: 47.8), zooms: 24...24)
        #expect(area.count == 29_194_288_614)
        #expect(area.tiles.prefix(1_000).count { $0.z == 24 } == 1_000)
    }

    @Test func refusesWhatHasNoTilesOrTooMany() throws {
        #expect(throws: ExportAreaError.tooManyTiles(count: 1_537_228_672_809_129_301, limit: 1 << 53)) {
            try ExportArea(.world, zooms: 0...30)
        }
        #expect(throws: ExportAreaError.zooms(0...31)) { try ExportArea(.world, zooms: 0...31) }
        #expect(throws: ExportAreaError.zooms(-1...3)) { try ExportArea(.world, zooms: -1...3) }
        #expect(throws: ExportAreaError.beyondMercator(south: 86, north: 89)) {
            try ExportArea(GeographicBox(west: 0, south: 86, east: 10, north: 89), zooms: 0...3)
        }
        #expect(throws: ExportAreaError.empty) { try ExportArea(ExportShapes(), zooms: 0...3) }
    }

    @Test func samplesAllZoomsInProportion() throws {
        let area = try ExportArea(GeographicBox(west: 5.9, south: 45.8, east: 10.5, north: 47.8), zooms: 0...18)
        let sample = area.sample()
        #expect(sample.count == 200)
        #expect(sample == area.sample())
        #expect(Set(sample).count == 200)
        var order = TileOrder()
        for tile in sample { try order.check(tile) }
        // Zoom 18 has three quarters of the tiles, and zoom 17 three sixteenths.
        #expect((149...151).contains(sample.count { $0.z == 18 }))
        #expect((36...39).contains(sample.count { $0.z == 17 }))
        let box = TileBox(GeographicBox(west: 5.9, south: 45.8, east: 10.5, north: 47.8))
        #expect(
            sample.allSatisfy { tile in
                HilbertNodeFinder.node(tile).map { box?.count(in: $0, zoom: tile.z) == 1 } ?? false
            })
    }

    @Test func samplesEveryTileOfASmallArea() throws {
        let area = try smallArea(zoom: 3)
        #expect(area.count < 200)
        #expect(area.sample() == Array(area.tiles))
        #expect(area.sample(1).count == 1)
    }

    @Test func samplesTilesOfAShape() throws {
        let area = try ExportArea(ExportShapes(polygon: [triangle]), zooms: 0...9)
        let tiles = Set(area.tiles)
        let sample = area.sample()
        #expect(sample.count == 200)
        #expect(tiles.isSuperset(of: sample))
        #expect(sample.contains { $0.z == 9 })
    }

    @Test func saysErrorsInOneLine() {
        #expect("\(ExportAreaError.tooManyTiles(count: 12_345, limit: 1_000))".hasPrefix("the area has 12,345 tiles;"))
        #expect("\(ExportAreaError.zooms(0...31))" == "zooms 0-31: expected zooms in 0-30")
    }
}

/// A triangle in Europe.
let triangle = [
    Coordinate(latitude: 40, longitude: -5), Coordinate(latitude: 41, longitude: 25),
    Coordinate(latitude: 60, longitude: 12),
]

func allTiles(_ zoom: Int) -> [TileCoordinate] {
    (0..<(1 << zoom)).flatMap { y in (0..<(1 << zoom)).map { tile(zoom, $0, y) } }
}

enum HilbertNodeFinder {
    /// Returns the square of a tile.
    static func node(_ tile: TileCoordinate) -> HilbertNode? {
        var node = HilbertNode.world
        for zoom in 1..<(tile.z + 1) {
            let ancestor = tile.ancestor(atZoom: zoom)
            guard
                let child = (0...3).map({ node.child($0) }).first(where: { $0.x == ancestor?.x && $0.y == ancestor?.y })
            else { return nil }
            node = child
        }
        return node
    }
}
