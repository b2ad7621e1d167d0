import Testing

@testable import MapGeometry

@Suite struct TileCoordinateTests {
    /// Every cache key contains a tile coordinate, so its size matters.
    @Test func takesTwelveBytes() throws {
        #expect(MemoryLayout<TileCoordinate>.size == 12)
        let last = try #require(TileCoordinate(z: 30, x: (1 << 30) - 1, y: (1 << 30) - 1))
        #expect((last.z, last.x, last.y) == (30, (1 << 30) - 1, (1 << 30) - 1))
    }

    @Test(arguments: [
        (-1, 0, 0), (0, 1, 0), (0, 0, 1), (2, 4, 0), (2, 0, 4), (10, 0, -1), (31, 0, 0), (30, 1 << 30, 0),
        (Int.max, 0, 0), (Int.min, 0, 0), (64, 1, 1), (3, Int.max, 0), (3, 0, Int.min),
    ])
    func rejectsTilesOutsideThePyramid(z: Int, x: Int, y: Int) {
        #expect(TileCoordinate(z: z, x: x, y: y) == nil)
    }

    @Test func clampsEachNumberToItsRange() throws {
        #expect(TileCoordinate(clampingZ: 3, x: 7, y: 0) == TileCoordinate(z: 3, x: 7, y: 0))
        #expect(TileCoordinate(clampingZ: 3, x: 8, y: -1) == TileCoordinate(z: 3, x: 7, y: 0))
        #expect(TileCoordinate(clampingZ: .min, x: .max, y: .max) == TileCoordinate(z: 0, x: 0, y: 0))
        let last = try #require(TileCoordinate(z: 30, x: (1 << 30) - 1, y: 0))
        #expect(TileCoordinate(clampingZ: .max, x: .max, y: .min) == last)
    }

    /// T-TILE-2.
    @Test func zoomTwoHasSixteenTiles() throws {
        let tiles = (-1...4).flatMap { x in (-1...4).compactMap { y in TileCoordinate(z: 2, x: x, y: y) } }
        #expect(tiles.count == 16)
        #expect(try tile(2, 0, 0).bounds.north > 85 && tile(2, 0, 0).bounds.west == -180)
        #expect(try tile(2, 3, 3).bounds.south < -85 && tile(2, 3, 3).bounds.east == 180)
    }

    /// T-TILE-3, T-TILE-4, T-TILE-9.
    @Test(arguments: [
        ((0, 0, 0), [85.0511287798, -85.0511287798, -180, 180]),
        ((2, 0, 0), [85.0511287798, 66.5132604431, -180, -90]),
        ((2, 1, 1), [66.5132604431, 0, -90, 0]),
        ((2, 3, 3), [-66.5132604431, -85.0511287798, 90, 180]),
        ((10, 161, 350), [49.382372787, 49.152969656, -123.3984375, -123.046875]),
    ])
    func hasBounds(place: (Int, Int, Int), edges: [Double]) throws {
        let bounds = try tile(place.0, place.1, place.2).bounds
        for (found, expected) in zip([bounds.north, bounds.south, bounds.west, bounds.east], edges) {
            #expect(abs(found - expected) < 1e-9)
        }
    }

    /// T-TILE-5 to T-TILE-8: Sydney, Vancouver, Calgary, Chicago.
    @Test(arguments: CameraVectors.tiles)
    func findsTheTileOfAPlace(row: [Double]) throws {
        let place = try #require(Coordinate(validating: row[0], longitude: row[1]))
        #expect(try TileCoordinate(containing: place, z: Int(row[2])) == tile(Int(row[2]), Int(row[3]), Int(row[4])))
    }

    @Test(arguments: [(90.0, 180.0, 0, 0), (-90, 180, 0, 3), (0, 540, 0, 2), (0, -180.000001, 3, 2), (0, 359, 1, 2)])
    func wrapsLongitudesAndClampsLatitudes(latitude: Double, longitude: Double, x: Int, y: Int) throws {
        let place = try #require(Coordinate(validating: latitude, longitude: longitude))
        #expect(try TileCoordinate(containing: place, z: 2) == tile(2, x, y))
        #expect(TileCoordinate(containing: place, z: 31) == nil)
        #expect(TileCoordinate(containing: place, z: -1) == nil)
    }

    /// T-TILE-10.
    @Test func countsTMSRowsFromTheSouth() throws {
        #expect(try tile(2, 3, 1).tmsRow == 2)
        #expect(try tile(0, 0, 0).tmsRow == 0)
        #expect(try tile(30, 0, 0).tmsRow == (1 << 30) - 1)
    }

    /// T-TILE-11.
    @Test func findsTheCellOfAnAncestor() throws {
        let cell = try #require(try tile(12, 650, 1405).cell(inAncestorAtZoom: 10))
        #expect(try cell == OverzoomCell(ancestor: tile(10, 162, 351), count: 4, column: 2, row: 1))
        #expect(256 / cell.count == 64)
        #expect(try tile(12, 650, 1405).cell(inAncestorAtZoom: 13) == nil)
        #expect(try tile(12, 650, 1405).cell(inAncestorAtZoom: -1) == nil)
        #expect(try tile(5, 3, 4).ancestor(atZoom: 5) == tile(5, 3, 4))
    }

    @Test func formatsQuadkeys() throws {
        #expect(try tile(0, 0, 0).quadkey == "")
        #expect(try tile(1, 0, 1).quadkey == "2")
        #expect(try tile(3, 3, 5).quadkey == "213")
        #expect(try tile(30, (1 << 30) - 1, 0).quadkey == String(repeating: "1", count: 30))
    }

    /// Half the side of the world is π · 6378137 m.
    @Test func hasABoxInMetres() throws {
        let half = 20_037_508.342789244
        let world = try tile(0, 0, 0).metres
        #expect([world.minX, world.minY, world.maxX, world.maxY].map(abs).allSatisfy { abs($0 - half) < 1e-6 })
        let northEast = try tile(1, 1, 0).metres
        #expect(northEast.minX == 0 && northEast.minY == 0)
        #expect(abs(northEast.maxX - half) < 1e-6 && abs(northEast.maxY - half) < 1e-6)
    }

    private func tile(_ z: Int, _ x: Int, _ y: Int) throws -> TileCoordinate {
        try #require(TileCoordinate(z: z, x: x, y: y))
    }
}
