import Bytes
import Foundation
import MapGeometry
import Tiles

@testable import TileArchives

/// A temporary directory for archives.
///
/// This type is a class because it owns the directory.
final class ArchiveDirectory: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "archives-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // A leftover directory is harmless.
        try? FileManager.default.removeItem(atPath: path)
    }

    func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    /// The names in the directory, sorted.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    func make(_ name: String, _ text: String = "old") throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: self(name)))
    }

    func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: self(name)))) }
}

func tile(_ z: Int, _ x: Int, _ y: Int) -> TileCoordinate {
    guard let tile = TileCoordinate(z: z, x: x, y: y) else { preconditionFailure("a test's own tile") }
    return tile
}

/// An image with a content of its own.
func image(_ tile: TileCoordinate) -> SharedBytes { SharedBytes("image \(tile)") }

/// The area of two tiles at zoom 1, with all its tiles of the zooms 0 to `zoom`.
func smallArea(zoom: Int) throws -> ExportArea {
    try ExportArea(GeographicBox(west: 10, south: -20, east: 90, north: 60), zooms: 0...zoom)
}

let sampleDescription = {
    var description = SourceDescription()
    description.name = "City \"A\""
    description.description = "Two\nlines"
    description.attribution = "© <a href=\"https://a.example\">A</a>"
    description.version = "1.2.0"
    description.kind = .overlay
    description.bounds = GeographicBox(west: 10, south: -20, east: 90, north: 60)
    description.center = SourceDescription.Center(longitude: 8.5, latitude: 47.25, zoom: 3)
    description.zooms = 0...3
    description.format = .png
    description.tileSize = 256
    return description
}()
