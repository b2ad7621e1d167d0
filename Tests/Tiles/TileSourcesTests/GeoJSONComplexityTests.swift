import Raster
import TestPictures
import Testing

@testable import TileSources
@testable import Tiles

/// Tests for GeoJSON files with more content in a tile than can be drawn.
@Suite struct GeoJSONComplexityTests {
    private let directory: GeoJSONDirectory
    private let frame = TileFrame(left: 0, top: 0, side: 256, scale: 1, worldSide: 256)

    init() throws {
        directory = try GeoJSONDirectory()
    }

    /// Returns lines across most of the world. Each line costs about 100 rows.
    private func zigzag(_ count: Int) -> String {
        let positions = (0..<count).map {
            "[\(Double($0) * 300 / Double(count) - 150), \($0.isMultiple(of: 2) ? 60 : -60)]"
        }
        return geometry("LineString", "[\(positions.joined(separator: ","))]")
    }

    @Test func drawsComplexTileWithFewerPixels() throws {
        let layer = try directory.layer(zigzag(400), .lined)
        let full = try #require(try layer.picture(of: frame, work: .max))
        #expect(full.growth == 1)
        let coarse = try #require(try layer.picture(of: frame, work: 200_000))
        #expect([2, 4, 8].contains(coarse.growth) && coarse.pixmap.width == 256)
        // The coarse picture covers the same area in the same place.
        let (a, b) = (full.pixmap.coverage, coarse.pixmap.coverage)
        #expect(
            abs(a.area - b.area) < 0.1 * a.area && abs(a.x - b.x) < 2 && abs(a.y - b.y) < 2,
            "\(a) \(b) \(coarse.growth)")
    }

    /// A map with coloured countries is common, so even the largest tile must be drawn.
    @Test func drawsManyColorsSharply() throws {
        let countries = (0..<60).map { number in
            let (x, y) = (number % 10 * 25 - 170, number / 10 * 18 - 75)
            let ring = [(x, y), (x + 110, y), (x + 110, y + 60), (x, y + 60), (x, y)].map { "[\($0), \($1)]" }
            return feature(
                geometry("Polygon", "[[\(ring.joined(separator: ","))]]"), "{\"fill\": \"#0000\(number + 10)\"}")
        }
        let layer = try directory.layer(
            "{\"type\": \"FeatureCollection\", \"features\": [\(countries.joined(separator: ","))]}")
        let largest = TileFrame(x: 0, y: 0, zoom: 0, scale: 4, tileSize: .double)
        #expect(try layer.picture(of: largest) != nil)
    }

    /// A tile between the parts of a shape has no content and costs no work.
    @Test func distantPartsCostNothing() throws {
        let parts =
            "[[[[-170, -60], [-160, -60], [-160, -50], [-170, -60]]], [[[170, 60], [160, 60], [160, 50], [170, 60]]]]"
        let layer = try directory.layer(geometry("MultiPolygon", parts))
        let between = TileFrame(left: 100, top: 100, side: 56, scale: 1, worldSide: 256)
        #expect(try layer.picture(of: between, work: 100) == nil)
    }

    /// A tile takes at most two attempts, whatever its content.
    @Test func rejectsTileThatIsFarTooComplex() throws {
        let layer = try directory.layer(zigzag(5_000), .lined)
        #expect(throws: Unavailability.tooComplex) { try layer.picture(of: frame, work: 20_000) }
    }

    @Test(arguments: ["areas", "lines", "points"]) func countsWorkOfEveryKindOfShape(kind: String) throws {
        let text =
            switch kind {
            case "areas": "[[[0, 0], [80, 0], [80, 80], [0, 0]]]"
            case "lines": "[[0, 0], [80, 70]]"
            default: "[10, 10]"
            }
        let name = ["areas": "Polygon", "lines": "LineString"][kind] ?? "Point"
        let layer = try directory.layer(geometry(name, text))
        #expect(try layer.picture(of: frame, work: 1_000_000)?.growth == 1)
        #expect(throws: Unavailability.tooComplex) { try layer.picture(of: frame, work: 10) }
    }

    /// Millions of points in one place cost as much as a single point.
    @Test func drawsPointsInOnePlaceOnce() throws {
        let positions = Array(repeating: "[1, 1]", count: 2_000).joined(separator: ",")
        let layer = try directory.layer(geometry("MultiPoint", "[\(positions)]"))
        let single = try directory.layer(geometry("Point", "[1, 1]"))
        // Each point costs five units, and one disc is drawn.
        #expect(try layer.picture(of: frame, work: 12_000)?.pixmap == single.picture(of: frame))
    }

    /// A line that is far from the tile costs no pixels.
    @Test func distantLinesCostLittle() throws {
        let positions = (0..<3_000).map { "[\($0.isMultiple(of: 2) ? -170 : 170), \($0 % 160 - 80)]" }
        for kind in ["LineString", "Polygon"] {
            let ring = (positions + positions.prefix(1)).joined(separator: ",")
            let layer = try directory.layer(geometry(kind, kind == "Polygon" ? "[[\(ring)]]" : "[\(ring)]"))
            let tile = TileFrame(x: 40_000, y: 3_000, zoom: 16, scale: 1, tileSize: .standard)
            // The boxes of 3,000 steps touch the tile, but only twenty steps cross it.
            #expect((try layer.picture(of: tile, work: 600_000)?.growth ?? 1) == 1, "\(kind)")
        }
    }

    /// Compares a small canvas, which cuts the shape off, with a wide canvas that holds the whole shape.
    @Test func edgesOutsideCanvasCountAsBefore() throws {
        var whole = Canvas(width: 64, height: 64)
        let points = [(-900.3, -20.1), (30.5, 20.7), (-400.9, 30.2), (-3.1, 90.6), (-0.5, 12.3), (-70.2, 50.9)]
        let ring = points.map { Point(x: $0.0, y: $0.1) }
        let moved = ring.map { Point(x: $0.x + 1_000, y: $0.y + 100) }
        whole.fill(Path(ring), color: .black)
        var wide = Canvas(width: 1_064, height: 164)
        wide.fill(Path(moved), color: .black)
        for row in 0..<64 {
            for column in 0..<64 {
                #expect(whole.pixmap.color(column, row) == wide.pixmap.color(column + 1_000, row + 100))
            }
        }
    }
}
