import Bytes
import JSON
import MapGeometry
import Raster
import Tiles

/// The texts in the JSON metadata of a PMTiles archive (PMTiles 3, JSON metadata).
package struct PMTilesMetadata: Hashable, Sendable {
    /// Maximum number of bytes of the metadata, both compressed and inflated: 1 MiB. The metadata of a raster archive
    /// has some hundred bytes. Only archives of vector tiles store a long description of their content in the metadata.
    package static let largest = 1 << 20

    /// The texts of the metadata, by their JSON keys. The dictionary has only the keys that `SourceDescription` uses,
    /// such as `name` and `attribution`.
    package let fields: [String: String]

    /// Makes metadata without any text.
    package init() { fields = [:] }

    /// Reads the metadata from `bytes`, the metadata section of an archive. `compression` is the compression of these
    /// bytes. If `bytes` is empty, the metadata has no texts. Ignores unknown keys, and values that are not strings.
    package init(
        _ bytes: UnsafeRawBufferPointer, compression: PMTilesHeader.Compression
    ) throws(PMTilesError) {
        guard !bytes.isEmpty else {
            fields = [:]
            return
        }
        guard bytes.count <= Self.largest else { throw .metadataTooLarge(limit: Self.largest) }
        let plain = try Self.plain(bytes, compression)
        let text: JSONText
        do throws(JSONError) {
            text = try JSONText(plain)
        } catch {
            throw .metadataSyntax("\(error)")
        }
        guard text.kind(of: text.root) == .object else { throw .metadataSyntax("found another value") }
        let members = text.members(of: text.root)
        var fields: [String: String] = [:]
        for name in SourceDescription.textNames {
            guard let value = members[name], text.kind(of: value) == .string else { continue }
            fields[name] = text.string(at: value)
        }
        self.fields = fields
    }

    /// Reads the metadata from `bytes`. The initialiser that takes an `UnsafeRawBufferPointer` has the rules.
    package init(_ bytes: SharedBytes, compression: PMTilesHeader.Compression) throws(PMTilesError) {
        // The buffer is valid only as long as its owner.
        defer { withExtendedLifetime(bytes) {} }
        try self.init(bytes.buffer, compression: compression)
    }

    private static func plain(
        _ bytes: UnsafeRawBufferPointer, _ compression: PMTilesHeader.Compression
    ) throws(PMTilesError) -> [UInt8] {
        guard compression == .gzip else { return Array(bytes) }
        do throws(Gzip.InflateError) {
            return try Gzip.inflated(bytes, limit: largest)
        } catch .tooLarge {
            throw .metadataTooLarge(limit: largest)
        } catch {
            throw .metadataCompression(error)
        }
    }

    /// Returns the description of an archive with `header` and with this metadata. The texts follow the rules for
    /// MBTiles archives. `firstTile` is the header of any image in the archive. The description takes the format and
    /// the side of all tiles from this image. If `firstTile` is nil, the description has the format in `header`. If
    /// `firstTile` is nil or less than 64 pixels wide, the side is 256 pixels.
    package func description(_ header: PMTilesHeader, firstTile: ImageHeader?) -> SourceDescription {
        var found = SourceDescription()
        found.setTexts(fields)
        found.bounds = header.bounds
        found.center = header.center
        found.zooms = header.zooms
        found.format = firstTile?.format ?? header.format
        // A side of less than 64 pixels is not useful for a map, so the tile is probably a placeholder.
        found.tileSize = firstTile.map(\.width).flatMap { $0 >= 64 ? $0 : nil } ?? 256
        return found
    }
}
