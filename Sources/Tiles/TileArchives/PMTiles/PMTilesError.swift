import JSON
import Tiles

/// The reason why a PMTiles archive cannot be read or written. The error's description is one line without control
/// characters, and does not name the archive. The caller adds the name.
package enum PMTilesError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A part of an archive, for messages.
    package enum Section: String, Sendable {
        case rootDirectory = "root directory"
        case metadata
        case leafDirectories = "leaf directories"
        case tileData = "tile data"
    }

    // Header.
    /// The archive has only `bytes` bytes, fewer than the 127 bytes of a header.
    case shortHeader(bytes: Int)
    /// The file does not begin with `PMTiles`.
    case notPMTiles
    /// The archive has another version than 3.
    case version(UInt8)
    /// The archive holds vector tiles, which this server does not serve. `kind` is their format: `MVT` or `MLT`.
    case vectorTiles(kind: String)
    /// The tiles are neither vector tiles nor PNG, JPEG or WebP images. The associated value is the tile type number in
    /// the header.
    case tileType(UInt8)
    /// The directories and the metadata are compressed with a method other than gzip. The associated value is the
    /// number of this method in the header.
    case internalCompression(UInt8)
    /// The tiles are compressed with a method other than gzip. The associated value is the number of this method in the
    /// header.
    case tileCompression(UInt8)
    /// The section begins inside the header.
    case overlapsHeader(Section)
    /// The offset of the section plus its length does not fit into 64 bits.
    case overflow(Section)
    /// The section ends at byte `end`, but the file has only `length` bytes.
    case beyondFile(Section, end: UInt64, length: UInt64)
    /// The root directory ends at byte `end`, but must end within the first 16,384 bytes of the archive.
    case rootTooFar(end: UInt64)
    /// The zooms in the header are not a range within 0…30. The first associated value is the lowest zoom, and the
    /// second is the highest zoom.
    case zooms(UInt8, UInt8)
    /// An edge of the bounds is not on the earth, or the south edge is north of the north edge.
    case bounds(west: Double, south: Double, east: Double, north: Double)

    // Directories and metadata.
    /// A directory is wrong.
    case directory(PMTilesDirectoryError)
    /// A directory entry refers to bytes outside of the section that holds the leaf directories or the tile data. The
    /// entry states `length` bytes at `offset`, which counts from the start of the section.
    case outside(Section, offset: UInt64, length: UInt32)
    /// The archive has more than `limit` levels of leaf directories below the root directory.
    case tooDeep(limit: Int)
    /// The metadata cannot be inflated.
    case metadataCompression(Gzip.InflateError)
    /// The metadata has more than `limit` bytes.
    case metadataTooLarge(limit: Int)
    /// The metadata is not a JSON object. The associated value is the reason, as a part of the error's description.
    case metadataSyntax(String)
    /// The tile's gzip cannot be inflated.
    case tile(Gzip.InflateError)

    package var description: String { PlainText.of(reason, limit: 512) }
}

extension PMTilesError {
    private var reason: String {
        switch self {
        case .shortHeader(let bytes): "expected a header of \(PMTilesHeader.size) bytes, found \(bytes) bytes"
        case .notPMTiles: "expected a PMTiles archive, found a file whose first bytes are not `PMTiles`"
        case .version(let version) where version < 3:
            "expected PMTiles version 3, found version \(version); convert it with `pmtiles convert`"
        case .version(let version): "expected PMTiles version 3, found version \(version)"
        case .vectorTiles(let kind):
            "the archive holds vector tiles (\(kind)), but only PNG, JPEG and WebP tiles are served; "
                + "render the archive to raster tiles, or serve it to clients that draw vector tiles themselves"
        case .tileType(5): "the archive holds AVIF tiles, but only PNG, JPEG and WebP tiles are served"
        case .tileType(let type):
            "the archive holds tiles of the unknown type \(type), but only PNG, JPEG and WebP tiles are served"
        case .internalCompression(let method):
            "the archive's directories are compressed with \(Self.name(method)), which is not supported. "
                + Self.rewriting
        case .tileCompression(let method):
            "the archive's tiles are compressed with \(Self.name(method)), expected none or gzip; "
                + "write the archive again without tile compression"
        case .overlapsHeader(let section): "the archive's \(section.rawValue) begins inside the header"
        case .overflow(let section): "the archive's \(section.rawValue) has an end beyond 2^64"
        case .beyondFile(let section, let end, let length):
            "the archive's \(section.rawValue) ends at byte \(end), but the file has \(length) bytes; "
                + "the file is cut off, so copy it again"
        case .rootTooFar(let end):
            "the archive's root directory ends at byte \(end), but PMTiles allows at most byte "
                + "\(PMTilesHeader.rootLimit)"
        case .zooms(let low, let high): "the archive's zooms are \(low) to \(high), expected a range within 0 to 30"
        case .bounds(let west, let south, let east, let north):
            "the archive's bounds are \(west), \(south), \(east), \(north), expected west, south, east, north within "
                + "-180, -90, 180, 90"
        default: contentReason
        }
    }

    private var contentReason: String {
        switch self {
        case .directory(let error): "a directory of the archive is damaged: \(error)"
        case .outside(let section, let offset, let length):
            "a directory refers to \(length) bytes at \(offset), outside of the archive's \(section.rawValue)"
        case .tooDeep(let limit): "the archive has more than \(limit) levels of leaf directories"
        case .metadataCompression(let error): "the archive's metadata cannot be decompressed: \(error)"
        case .metadataTooLarge(let limit): "the archive's metadata is larger than the limit of \(limit) bytes"
        case .metadataSyntax(let why): "expected a JSON object as the archive's metadata: \(why)"
        case .tile(let error): "a tile of the archive cannot be decompressed: \(error)"
        default: ""
        }
    }

    private static let rewriting =
        "Write the archive again with the `pmtiles` command, which uses gzip"

    /// Returns the name of a compression method for error messages. `method` is the number of the method in the header
    /// (PMTiles 3, Header).
    private static func name(_ method: UInt8) -> String {
        switch method {
        case 0: "an unknown method"
        case 3: "brotli"
        case 4: "zstd"
        default: "the unknown method \(method)"
        }
    }
}
