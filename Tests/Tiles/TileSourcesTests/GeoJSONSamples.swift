import Foundation
import Raster
import Testing

@testable import TileSources
@testable import Tiles

/// A temporary directory for GeoJSON files.
///
/// This type is a class because it owns the directory.
final class GeoJSONDirectory: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "geojson-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // A leftover directory is harmless.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file and replaces an existing one. Returns the file's path.
    @discardableResult
    func write(_ text: String, _ name: String = "a.geojson") throws -> String {
        let file = "\(path)/\(name)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
        return file
    }

    func layer(_ text: String, _ style: GeoJSONStyle = .plain) throws -> GeoJSONLayer {
        try GeoJSONLayer(path: try write(text), style: style)
    }
}

extension GeoJSONLayer {
    /// Draws a square of the world with all of its pixels. Returns nil if the square is empty.
    func picture(of frame: TileFrame) throws -> Pixmap? {
        let picture = try picture(of: frame, work: GeoJSONBudget.standard)
        #expect((picture?.growth ?? 1) == 1)
        return picture?.pixmap
    }
}

extension GeoJSONStyle {
    /// A style with black areas only.
    static let filled = GeoJSONStyle(
        fill: .black, stroke: .transparent, width: 0, pointRadius: 0, pointFill: .transparent,
        pointStroke: .transparent, pointStrokeWidth: 0)

    /// A style with red lines only, two points wide.
    static let lined = GeoJSONStyle(
        fill: .transparent, stroke: .scarlet, width: 2, pointRadius: 0, pointFill: .transparent,
        pointStroke: .transparent, pointStrokeWidth: 0)

    /// A style with areas, lines and points. Its colours are translucent, so that drawing a pixel twice is visible.
    static let plain = GeoJSONStyle(
        fill: RGBA(red: 0, green: 0, blue: 255, alpha: 100), stroke: RGBA(red: 255, green: 0, blue: 0, alpha: 150),
        width: 3, pointRadius: 4, pointFill: RGBA(red: 0, green: 255, blue: 0, alpha: 200), pointStroke: .black,
        pointStrokeWidth: 1.5)
}

extension RGBA {
    static let black = RGBA(red: 0, green: 0, blue: 0)
    static let scarlet = RGBA(red: 255, green: 0, blue: 0)
}

extension Pixmap {
    /// The covered area in pixels, and its centre.
    var coverage: (area: Double, x: Double, y: Double) {
        var (area, sumX, sumY) = (0.0, 0.0, 0.0)
        for y in 0..<height {
            for x in 0..<width {
                let alpha = Double(color(x, y).alpha) / 255
                area += alpha
                sumX += alpha * (Double(x) + 0.5)
                sumY += alpha * (Double(y) + 0.5)
            }
        }
        return area > 0 ? (area, sumX / area, sumY / area) : (0, 0, 0)
    }
}

/// Returns the text of a geometry.
func geometry(_ type: String, _ coordinates: String) -> String {
    "{\"type\": \"\(type)\", \"coordinates\": \(coordinates)}"
}

/// Returns the text of a feature.
func feature(_ geometry: String, _ properties: String = "{}") -> String {
    "{\"type\": \"Feature\", \"properties\": \(properties), \"geometry\": \(geometry)}"
}

/// Returns the text of a feature collection.
func collection(_ features: String...) -> String {
    "{\"type\": \"FeatureCollection\", \"features\": [\(features.joined(separator: ", "))]}"
}

extension TileFrame {
    /// Returns the GeoJSON position of a pixel of the square.
    func position(_ x: Double, _ y: Double) -> String {
        let (x, y) = ((left + x) / worldSide, (top + y) / worldSide)
        return "[\(x * 360 - 180), \(atan(sinh(.pi * (1 - 2 * min(max(y, 0), 1)))) * 180 / .pi)]"
    }
}
