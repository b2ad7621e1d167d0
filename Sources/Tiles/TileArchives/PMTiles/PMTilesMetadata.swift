import Bytes
import JSON
import MapGeometry
import Raster
import Tiles

/// The JSON metadata of a PMTiles archive (PMTiles 3, JSON metadata).
package struct PMTilesMetadata: Hashable, Sendable {
    /// Maximum bytes of the metadata, compressed and inflated. Raster archives have some hundred bytes. Only archives
    /// of vector tiles describe their content here in detail.
    package static let largest = 1 << 20

    /// The texts that a description can have, by name.
    package let fields: [String: String]

    /// Makes metadata without any text.
    package init() { fields = [:] }

    /// Reads the metadata from its bytes in the archive. An archive may have no bytes of metadata. Values that are not
    /// strings and values with unknown names are ignored.
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

    /// Reads the metadata like the initialiser of a buffer.
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

    /// Returns the description of an archive, with the same rules as for MBTiles. `firstTile` is the header of any tile
    /// in the archive. The header gives the size of the tiles. Nil: the tiles have 256 pixels.
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
