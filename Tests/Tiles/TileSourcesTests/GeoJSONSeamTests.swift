import Foundation
import Raster
import TestPictures
import Testing

@testable import TileSources
@testable import Tiles

/// Tests that neighbouring tiles fit together. Every pixel equals the pixel of a larger tile.
@Suite struct GeoJSONSeamTests {
    private let directory: GeoJSONDirectory

    init() throws {
        directory = try GeoJSONDirectory()
    }

    /// Returns features around a square: rings, lines and points of many sizes, and long lines across it. Uses a
    /// fixed random sequence.
    private func text(around square: TileFrame) -> String {
        var state: UInt64 = 88_172_645_463_325_252
        func random() -> Double {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Double(state >> 11) / 0x1p53
        }
        func position(_ x: Double, _ y: Double) -> String {
            let (x, y) = ((square.left + x) / square.worldSide, (square.top + y) / square.worldSide)
            return "[\(x * 360 - 180), \(atan(sinh(.pi * (1 - 2 * min(max(y, 0), 1)))) * 180 / .pi)]"
        }
        func ring(_ count: Int, _ radius: Double) -> String {
            let (x, y) = (random() * 80 - 8, random() * 80 - 8)
            let corners = (0..<count).map { corner in
                let (angle, length) = (Double(corner) / Double(count) * 2 * .pi, radius * (0.6 + 0.4 * random()))
                return position(x + length * cos(angle), y + length * sin(angle))
            }
            return "[\((corners + corners.prefix(1)).joined(separator: ","))]"
        }
        var features: [String] = []
        for number in 0..<40 {
            let style =
                number % 7 == 0 ? "{\"fill\": \"#f80\", \"stroke\": \"#080\", \"marker-color\": \"#80f\"}" : "{}"
            features.append(feature(geometry("Polygon", "[\(ring(5, 0.2)), \(ring(4, 0.1))]"), style))
            features.append(feature(geometry("Polygon", "[\(ring(9, 12))]"), style))
            features.append(feature(geometry("Point", position(random() * 80 - 8, random() * 80 - 8)), style))
            let ends = (0..<3).map { _ in position(random() * 120 - 28, random() * 120 - 28) }
            features.append(feature(geometry("LineString", "[\(ends.joined(separator: ","))]"), style))
        }
        // This polygon has several runs and groups, so some parts are near and some are far.
        features.append(feature(geometry("Polygon", "[\(ring(3_000, 40)), \(ring(500, 9))]")))
        let far = min(4_000, square.worldSide / 8)
        features.append(feature(geometry("LineString", "[\(position(-far, 31.2)), \(position(2 * far, 33.9))]")))
        return "{\"type\": \"FeatureCollection\", \"features\": [\(features.joined(separator: ","))]}"
    }

    @Test(arguments: Seams.squares.indices) func quartersMatchWholePicture(number: Int) throws {
        let square = Seams.squares[number]
        let layer = try directory.layer(text(around: square))
        let empty = Pixmap(width: 1, height: 1)
        try Seams.quartersMakeUp(square) { try layer.picture(of: $0) ?? empty }
        #expect(try layer.picture(of: square) != nil)
    }

    /// The western edge of the world lies beyond its eastern edge.
    @Test func continuesAcrossTheAntimeridian() throws {
        let text = collection(
            feature(geometry("Polygon", "[[[175, 10], [185, 12], [184, -9], [174, -10], [175, 10]]]")),
            feature(geometry("LineString", "[[170, 5], [-172, -6], [-165, 3]]")),
            feature(geometry("MultiPoint", "[[179.9, 1], [-179.95, -2], [180, 4]]")))
        let layer = try directory.layer(text)
        func picture(left: Double, side: Int) throws -> Pixmap {
            try #require(
                try layer.picture(of: TileFrame(left: left, top: 2_016, side: side, scale: 1, worldSide: 4_096)))
        }
        let whole = try picture(left: 4_096 - 32, side: 64)
        for (left, column) in [(4_096.0 - 32, 0), (0, 32)] {
            #expect(try picture(left: left, side: 32) == whole.part(left: column, top: 0, side: 32))
        }
    }
}
