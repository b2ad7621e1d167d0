import Foundation
import Raster
import TestPictures
import Testing

@testable import TileSources
@testable import Tiles

/// Tests for the drawing of the features of a GeoJSON file.
@Suite struct GeoJSONDrawingTests {
    private let directory: GeoJSONDirectory

    init() throws {
        directory = try GeoJSONDirectory()
    }

    /// Draws the world on a square of `side` pixels. Returns nil if the picture is empty.
    private func world(_ text: String, _ style: GeoJSONStyle, side: Int = 256, left: Double = 0) throws -> Pixmap? {
        let frame = TileFrame(left: left, top: 0, side: side, scale: 1, worldSide: Double(side))
        return try directory.layer(text, style).picture(of: frame)
    }

    /// Returns the position of pixel (`x`, `y`) of a world of `side` pixels. Inverts the formulas of EPSG:3857.
    private func position(_ x: Double, _ y: Double, side: Double = 256) -> String {
        let latitude = atan(sinh(.pi * (1 - 2 * y / side))) * 180 / .pi
        return "[\(x / side * 360 - 180), \(latitude)]"
    }

    private func ring(_ corners: [(Double, Double)]) -> String {
        "[" + (corners + corners.prefix(1)).map { position($0.0, $0.1) }.joined(separator: ",") + "]"
    }

    /// Returns the area of a polygon by the shoelace formula.
    private func area(_ corners: [(Double, Double)]) -> Double {
        let pairs = zip(corners, corners.dropFirst() + corners.prefix(1))
        return abs(pairs.reduce(0) { $0 + $1.0.0 * $1.1.1 - $1.1.0 * $1.0.1 }) / 2
    }

    private static let outer = [(20.3, 30.7), (200.1, 44.2), (170.9, 231.4), (61.6, 180.2)]
    private static let hole = [(90.2, 80.5), (130.8, 91.1), (110.4, 140.9)]

    /// Tests both directions of winding for the ring and the hole.
    @Test(arguments: [false, true], [false, true])
    func fillsAreaOfPolygonExceptHole(isReversed: Bool, hasReversedHole: Bool) throws {
        let outer = isReversed ? Self.outer.reversed() : Self.outer
        let hole = hasReversedHole ? Self.hole.reversed() : Self.hole
        let text = geometry("Polygon", "[\(ring(outer)), \(ring(hole))]")
        let picture = try #require(try world(text, .filled))
        let expected = area(outer) - area(hole)
        #expect(abs(picture.coverage.area - expected) < 0.005 * expected)
        #expect(picture.color(110, 100).alpha == 0 && picture.color(150, 120).alpha == 255)
    }

    /// A ring with many vertices is simplified where vertices are close. Its area must not change.
    @Test func fillsAreaOfRingWithManyVertices() throws {
        let corners = (0..<20_000).map { step in
            let angle = Double(step) / 20_000 * 2 * .pi
            let radius = 80 + 20 * sin(7 * angle)
            return (128 + radius * cos(angle), 128 + radius * sin(angle))
        }
        let picture = try #require(try world(geometry("Polygon", "[\(ring(corners))]"), .filled))
        #expect(abs(picture.coverage.area - area(corners)) < 0.005 * area(corners))
    }

    /// Shapes that are too small to be visible still add up. A hundred squares of a tenth of a pixel cover one pixel.
    @Test func addsUpTinyShapes() throws {
        let squares = (0..<100).map { number in
            let (x, y) = (100 + Double(number % 10) / 10, 50 + Double(number / 10) / 10)
            return feature(geometry("Polygon", "[\(ring([(x, y), (x + 0.1, y), (x + 0.1, y + 0.1), (x, y + 0.1)]))]"))
        }
        let text = "{\"type\": \"FeatureCollection\", \"features\": [\(squares.joined(separator: ","))]}"
        let picture = try #require(try world(text, .filled))
        #expect(picture.coverage.area > 0.9 && picture.coverage.area < 1.1)
    }

    /// The ring goes around so often that the sum of its turns does not fit into 32 bits.
    @Test func survivesRingWithManyTurns() throws {
        let corners = Array(repeating: [(64.0, 64.0), (192, 64), (192, 192), (64, 192)], count: 16_384).joined()
        let picture = try #require(try world(geometry("Polygon", "[\(ring(Array(corners)))]"), .filled))
        #expect(picture.color(32, 32).alpha == 0)
    }

    @Test func drawsLineAtItsPlace() throws {
        let text = geometry("LineString", "[\(position(60, 100)), \(position(180, 100))]")
        let picture = try #require(try world(text, .lined))
        let coverage = picture.coverage
        // The line is two pixels wide. Its two round ends together have the area of a circle.
        #expect(abs(coverage.area - (120 * 2 + .pi)) < 2)
        #expect(abs(coverage.x - 120) < 0.01 && abs(coverage.y - 100) < 0.01)
        #expect(picture.color(100, 99) == .scarlet && picture.color(100, 100) == .scarlet)
        #expect(picture.color(100, 98).alpha == 0 && picture.color(100, 101).alpha == 0)
    }

    @Test(arguments: [1, 2, 4])
    func drawsPointAsDiscWithOutline(scale: Int) throws {
        var style = GeoJSONStyle.filled
        (style.pointRadius, style.pointFill, style.pointStroke, style.pointStrokeWidth) = (5, .scarlet, .black, 2)
        let side = 256 * scale
        let frame = TileFrame(left: 0, top: 0, side: side, scale: Double(scale), worldSide: Double(side))
        let text = geometry("Point", position(101.25, 60.75))
        let picture = try #require(try directory.layer(text, style).picture(of: frame))
        let (coverage, scale) = (picture.coverage, Double(scale))
        #expect(abs(coverage.area - .pi * 49 * scale * scale) < 0.02 * coverage.area)
        #expect(abs(coverage.x - 101.25 * scale) < 0.05 && abs(coverage.y - 60.75 * scale) < 0.05)
        let (x, y) = (101.25 * scale, 60.75 * scale)
        #expect(picture.color(Int(x + 4 * scale), Int(y)) == .scarlet)
        #expect(picture.color(Int(x + 6 * scale), Int(y)) == .black)
        #expect(picture.color(Int(x + 8 * scale), Int(y)).alpha == 0)
    }

    /// Adjacent polygons look like a single area, without a bright line between them.
    @Test func drawsNoLineBetweenNeighbors() throws {
        let left = ring([(20, 20), (100.5, 20), (120.5, 200), (20, 200)])
        let right = ring([(100.5, 20), (200, 20), (200, 200), (120.5, 200)])
        let text = collection(feature(geometry("Polygon", "[\(left)]")), feature(geometry("Polygon", "[\(right)]")))
        let picture = try #require(try world(text, .plain.withoutLines))
        let colors = Set((30..<190).flatMap { y in (30..<190).map { picture.color($0, y) } })
        #expect(colors == [GeoJSONStyle.plain.fill])
    }

    @Test func drawsAreasBelowLinesBelowPoints() throws {
        var style = GeoJSONStyle.lined
        (style.fill, style.pointRadius, style.pointFill) = (RGBA(red: 0, green: 0, blue: 255), 3, .black)
        let text = collection(
            feature(geometry("Point", position(50, 100))),
            feature(geometry("LineString", "[\(position(20, 100)), \(position(100, 100))]")),
            feature(geometry("Polygon", "[\(ring([(10, 50), (120, 50), (120, 150), (10, 150)]))]")))
        let picture = try #require(try world(text, style))
        #expect(picture.color(50, 100) == .black && picture.color(70, 100) == .scarlet)
        #expect(picture.color(70, 120) == style.fill)
    }

    /// The part of a line beyond the antimeridian is drawn on the other side, in every notation.
    @Test(
        arguments: [
            geometry("LineString", "[[170, 0], [-170, 0]]"), geometry("LineString", "[[170, 0], [190, 0]]"),
            geometry("LineString", "[[-190, 0], [-170, 0]]"),
            geometry("MultiLineString", "[[[170, 0], [180, 0]], [[-180, 0], [-170, 0]]]"),
        ])
    func drawsLineAcrossTheAntimeridian(text: String) throws {
        let picture = try #require(try world(text, .lined))
        let isRed = (0..<256).map { picture.color($0, 127) == .scarlet }
        // 10 degrees are 7.1 pixels.
        #expect(isRed == (0..<256).map { $0 < 7 || $0 >= 249 })
    }

    @Test func drawsPolygonAcrossTheAntimeridianOnBothSides() throws {
        let text = geometry("Polygon", "[[[157.5, 0], [202.5, 0], [202.5, -40], [157.5, -40], [157.5, 0]]]")
        let picture = try #require(try world(text, .filled))
        let isBlack = (0..<256).map { picture.color($0, 140) == .black }
        #expect(isBlack == (0..<256).map { $0 < 16 || $0 >= 240 })
    }

    /// The polygon covers the whole world, up to the poles beyond the map.
    @Test func fillsTheWorld() throws {
        let text = geometry("Polygon", "[[[-180, -90], [180, -90], [180, 90], [-180, 90], [-180, -90]]]")
        var style = GeoJSONStyle.lined
        style.fill = .black
        let picture = try #require(try world(text, style))
        // The end of the map has no outline.
        #expect(picture == Pixmap(width: 256, height: 256, color: .black))
        let line = try #require(try world(geometry("LineString", "[[-180, 0], [180, 0]]"), .lined))
        #expect((0..<256).allSatisfy { line.color($0, 127) == .scarlet })
    }

    @Test func hasNoTileWithoutFeatures() throws {
        let text = geometry("Polygon", "[[[0, 0], [80, 0], [80, 80], [0, 0]]]")
        let layer = try directory.layer(text, .filled)
        guard case .image = try layer.tile(x: 1, y: 0, zoom: 1) else { return #expect(Bool(false), "there is an area") }
        // The tiles are beside the area, or inside its box but outside the area.
        for (zoom, x, y) in [(1, 0, 1), (3, 4, 1), (22, 0, 0)] {
            guard case .noTile = try layer.tile(x: x, y: y, zoom: zoom) else {
                return #expect(Bool(false), "there is nothing in \(zoom)/\(x)/\(y)")
            }
        }
    }

    @Test func drawsEverywhereAtEveryScale() throws {
        let world = geometry("Polygon", "[[[-180, -90], [180, -90], [180, 90], [-180, 90], [-180, -90]]]")
        let path = try directory.write(world)
        for (size, points) in [(TileSize.standard, 256), (.double, 512)] {
            let layer = try GeoJSONLayer(path: path, style: .filled, tileSize: size)
            try Seams.drawsEverywhere(layer, points: points)
            try Seams.drawsEverywhere(layer, points: points, scale: 2)
        }
    }
}

extension GeoJSONStyle {
    fileprivate var withoutLines: GeoJSONStyle {
        var style = self
        style.width = 0
        return style
    }
}
