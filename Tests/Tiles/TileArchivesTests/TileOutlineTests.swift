import MapGeometry
import TestSupport
import Testing

@testable import TileArchives

@Suite struct TileOutlineTests {
    @Test func equalsTheBoxForARectangle() throws {
        let box = GeographicBox(west: 5.9, south: 45.8, east: 10.5, north: 47.8)
        let shapes = ExportShapes(polygon: [ring(box)])
        #expect(try ExportArea(shapes, zooms: 0...14).counts == ExportArea(box, zooms: 0...14).counts)
        let found = try #require(try ExportArea(shapes, zooms: 0...0).bounds)
        #expect(abs(found.west - box.west) + abs(found.north - box.north) < 1e-9)
        #expect(abs(found.east - box.east) + abs(found.south - box.south) < 1e-9)
    }

    @Test(arguments: [tile(3, 4, 2), tile(12, 2_145, 1_434), tile(20, 548_000, 367_123)])
    func hasOneTileForTheEdgesOfATile(_ tile: TileCoordinate) throws {
        let area = try ExportArea(ExportShapes(polygon: [ring(tile.bounds)]), zooms: tile.z...tile.z)
        #expect(Array(area.tiles) == [tile])
    }

    @Test func equalsATestOfEachTile() throws {
        var random = SeededRandom(seed: 7)
        for _ in 0..<30 {
            let rings = (0..<2).map { _ in
                (0..<Int.random(in: 3...9, using: &random)).map { _ in
                    Coordinate(
                        latitude: .random(in: -80...80, using: &random),
                        longitude: .random(in: -170...170, using: &random))
                }
            }
            let area = try ExportArea(ExportShapes(polygon: rings), zooms: 5...5)
            let tiles = Array(area.tiles)
            #expect(Set(tiles) == Set(allTiles(5).filter { Oracle(rings).touches($0) }), "\(rings)")
            #expect(tiles.count == area.count)
            var order = TileOrder()
            for tile in tiles { try order.check(tile) }
        }
    }

    @Test func leavesOutTheTilesOfAHole() throws {
        let outer = ring(GeographicBox(west: -90, south: -60, east: 90, north: 60))
        let hole = ring(GeographicBox(west: -50, south: -40, east: 50, north: 40))
        let area = try ExportArea(ExportShapes(polygon: [outer, hole]), zooms: 7...7)
        let tiles = Set(area.tiles)
        #expect(!tiles.contains(tile(7, 64, 64)))
        #expect(tiles.contains(tile(7, 40, 64)))
        #expect(try tiles.count < ExportArea(ExportShapes(polygon: [outer]), zooms: 7...7).count)
    }

    @Test func joinsOverlappingPolygons() throws {
        var shapes = ExportShapes()
        let boxes = [
            GeographicBox(west: -90, south: -60, east: 20, north: 60),
            GeographicBox(west: -20, south: -50, east: 90, north: 50),
        ]
        shapes.polygons = boxes.map { [ring($0)] }
        let tiles = Set(try ExportArea(shapes, zooms: 6...6).tiles)
        let expected = try boxes.map { Set(try ExportArea($0, zooms: 6...6).tiles) }
        #expect(tiles == expected[0].union(expected[1]))
    }

    @Test func hasTheTilesThatPointsAndLinesTouch() throws {
        var shapes = ExportShapes()
        shapes.points = [Coordinate(latitude: 0, longitude: 0)]
        // The point is a corner of four tiles.
        #expect(try ExportArea(shapes, zooms: 0...3).counts == [1, 4, 4, 4])
        shapes.points = [Coordinate(latitude: 47.37, longitude: 8.54)]
        #expect(try ExportArea(shapes, zooms: 0...30).counts == Array(repeating: 1, count: 31))
        shapes.points = []
        shapes.lines = [[Coordinate(latitude: 10, longitude: -170), Coordinate(latitude: 10, longitude: 170)]]
        #expect(try ExportArea(shapes, zooms: 4...4).counts == [16])
    }

    @Test func ignoresShapesBeyondTheMap() throws {
        var shapes = ExportShapes(polygon: [ring(GeographicBox(west: 0, south: 86, east: 40, north: 89))])
        shapes.points = [Coordinate(latitude: 88, longitude: 3), Coordinate(latitude: -89, longitude: 3)]
        #expect(throws: ExportAreaError.empty) { try ExportArea(shapes, zooms: 0...4) }
    }

    @Test func wrapsLongitudesBeyondTheAntimeridian() throws {
        let places = [
            Coordinate(latitude: -10, longitude: 170), Coordinate(latitude: -10, longitude: 190),
            Coordinate(latitude: 10, longitude: 190), Coordinate(latitude: 10, longitude: 170),
        ]
        let area = try ExportArea(ExportShapes(polygon: [places]), zooms: 0...8)
        let box = GeographicBox(west: 170, south: -10, east: -170, north: 10)
        #expect(Set(area.tiles) == Set(try ExportArea(box, zooms: 0...8).tiles))
        let bounds = try #require(area.bounds)
        #expect(abs(bounds.west - 170) < 1e-9 && abs(bounds.east + 170) < 1e-9)
    }

    @Test func takesDegenerateRings() throws {
        let place = Coordinate(latitude: 47.37, longitude: 8.54)
        for ring in [[place], [place, place], [place, place, place]] {
            #expect(try ExportArea(ExportShapes(polygon: [ring]), zooms: 3...3).counts == [1])
        }
        #expect(throws: ExportAreaError.empty) { try ExportArea(ExportShapes(polygon: [[], []]), zooms: 3...3) }
    }

    @Test func bordersItsTimeAndMemory() throws {
        let outline = try TileOutline(ExportShapes(polygon: [triangle]))
        #expect(throws: ExportAreaError.tooLong(limit: 100)) { try outline.counts(0...12, mostSquares: 100) }
        let many = Array(repeating: triangle[0], count: TileOutline.mostSegments + 1)
        #expect(throws: ExportAreaError.tooManyPlaces(limit: TileOutline.mostSegments)) {
            try ExportArea(ExportShapes(polygon: [many]), zooms: 0...1)
        }
        #expect(throws: ExportAreaError.longitude(1e9, limit: 720)) {
            try ExportArea(ExportShapes(polygon: [[Coordinate(latitude: 0, longitude: 1e9)]]), zooms: 0...1)
        }
    }

    private func ring(_ box: GeographicBox) -> [Coordinate] {
        [
            Coordinate(latitude: box.south, longitude: box.west), Coordinate(latitude: box.south, longitude: box.east),
            Coordinate(latitude: box.north, longitude: box.east), Coordinate(latitude: box.north, longitude: box.west),
        ]
    }
}

/// Tests a tile against all edges of a polygon, without a descent.
private struct Oracle {
    private var edges: [(WorldPoint, WorldPoint)] = []

    init(_ rings: [[Coordinate]]) {
        for ring in rings {
            let points = ring.map(Mercator.project)
            for (index, point) in points.enumerated() { edges.append((point, points[(index + 1) % points.count])) }
        }
    }

    func touches(_ tile: TileCoordinate) -> Bool {
        let (corner, side) = (tile.northWest, 1 / Double(tile.span))
        if edges.contains(where: { clips($0, corner, side) }) { return true }
        let (x, y) = (corner.x + side / 2, corner.y + side / 2)
        let crossings = edges.count { start, end in
            (start.y > y) != (end.y > y) && x < start.x + (y - start.y) / (end.y - start.y) * (end.x - start.x)
        }
        return crossings % 2 == 1
    }

    /// Clips the edge by the four sides of the tile, one after the other (Liang and Barsky 1984).
    private func clips(_ edge: (WorldPoint, WorldPoint), _ corner: WorldPoint, _ side: Double) -> Bool {
        let (width, height) = (edge.1.x - edge.0.x, edge.1.y - edge.0.y)
        var (first, last) = (0.0, 1.0)
        for (step, distance) in [
            (-width, edge.0.x - corner.x), (width, corner.x + side - edge.0.x), (-height, edge.0.y - corner.y),
            (height, corner.y + side - edge.0.y),
        ] {
            if step == 0 {
                if distance < 0 { return false }
            } else if step < 0 {
                first = max(first, distance / step)
            } else {
                last = min(last, distance / step)
            }
        }
        return first <= last
    }
}
