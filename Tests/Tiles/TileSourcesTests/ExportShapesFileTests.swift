import MapGeometry
import Testing
import TileArchives

@testable import TileSources

/// Tests for the area of an export from a GeoJSON file.
@Suite struct ExportShapesFileTests {
    private let directory: GeoJSONDirectory

    init() throws { directory = try GeoJSONDirectory() }

    private func area(_ text: String, _ zooms: ClosedRange<Int>) throws -> ExportArea {
        try ExportArea(ExportShapes(geoJSON: try directory.write(text)), zooms: zooms)
    }

    private static func square(_ west: Double, _ south: Double, _ east: Double, _ north: Double) -> String {
        "[[[\(west), \(south)], [\(east), \(south)], [\(east), \(north)], [\(west), \(north)], [\(west), \(south)]]]"
    }

    private static let box = GeographicBox(west: 5.9, south: 45.8, east: 10.5, north: 47.8)
    private static let polygon = geometry("Polygon", square(5.9, 45.8, 10.5, 47.8))

    @Test(arguments: [
        polygon, feature(polygon), collection(feature("null"), feature(polygon)),
        "{\"type\": \"GeometryCollection\", \"geometries\": [\(polygon), null]}",
        geometry("MultiPolygon", "[\(square(5.9, 45.8, 8, 47.8)), \(square(8, 45.8, 10.5, 47.8))]"),
    ])
    func hasTheTilesOfTheBox(text: String) throws {
        let area = try area(text, 0...12)
        #expect(area.counts == (try ExportArea(Self.box, zooms: 0...12).counts))
        #expect(abs((area.bounds?.north ?? 0) - 47.8) < 1e-9)
    }

    @Test func leavesOutHoles() throws {
        let rings = Self.square(0, 0, 40, 40).dropLast() + ", " + Self.square(10, 10, 30, 30).dropFirst()
        let tiles = try Array(area(geometry("Polygon", String(rings)), 6...6).tiles)
        #expect(tiles.contains(try #require(TileCoordinate(z: 6, x: 32, y: 31))))
        #expect(!tiles.contains(try #require(TileCoordinate(z: 6, x: 35, y: 28))))
    }

    @Test func readsLinesAndPoints() throws {
        let line = geometry("LineString", "[[10, 10], [10, 50]]")
        let points = geometry("MultiPoint", "[[100, 10], [-100, 10, 400]]")
        #expect(try area(collection(feature(line), feature(points)), 3...3).count == 2 + 2)
    }

    @Test(arguments: [
        // A line takes the shorter way around the world.
        geometry("LineString", "[[179.5, -17], [-179.5, -17]]"),
        // A polygon beyond the antimeridian.
        geometry("Polygon", square(179.5, -17.5, 180.5, -17)),
        // A shape that was cut at the antimeridian.
        geometry("MultiPolygon", "[\(square(-180, -17.5, -179.5, -17)), \(square(179.5, -17.5, 180, -17))]"),
    ])
    func crossesTheAntimeridian(text: String) throws {
        let area = try area(text, 4...4)
        #expect(Set(area.tiles.map(\.x)) == [0, 15])
        let bounds = try #require(try self.area(text.replacing("-17]]", with: "-17.5]]"), 4...4).bounds)
        #expect(abs(bounds.west - 179.5) < 1e-6 && abs(bounds.east + 179.5) < 1e-6, "\(bounds)")
    }

    @Test func leavesOutPlacesBeyondTheMap() throws {
        let (point, line) = (geometry("Point", "[10, 89]"), geometry("LineString", "[[0, -86], [20, -90]]"))
        #expect(throws: ExportAreaError.empty) { try area(collection(feature(point), feature(line)), 0...3) }
        // A polygon around the pole has the tiles at the edge of the map.
        #expect(try area(geometry("Polygon", Self.square(-180, 80, 180, 90)), 2...2).count == 4)
    }

    @Test func namesThePlaceOfAnError() throws {
        for (text, place) in [
            (collection(feature(polygonOf("[1, 95]"))), "features[0].geometry.coordinates[0][1]: expected a longitude"),
            ("{\"type\": \"Point\",\n \"coordinates\": [1; 2]}", "line 2, column 19: expected a comma or ]"),
            ("{\"type\": \"Topology\"}", "type: expected one of FeatureCollection"),
        ] {
            let path = try directory.write(text)
            let error = try #require(throws: GeoJSONError.self) { try ExportShapes(geoJSON: path) }
            #expect("\(error)".contains("a.geojson: ") && "\(error)".contains(place), "\(error)")
        }
        #expect(throws: GeoJSONError.self) { try ExportShapes(geoJSON: directory.path) }
    }

    private func polygonOf(_ place: String) -> String { geometry("Polygon", "[[[0, 0], \(place), [2, 2], [0, 0]]]") }
}
