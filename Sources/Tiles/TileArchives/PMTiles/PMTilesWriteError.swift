import Files
import MapGeometry
import Tiles

/// The reason why a PMTiles archive cannot be written. The description is one line without control characters.
package enum PMTilesWriteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A file at the target may not be replaced.
    case exists(path: String)
    /// A file cannot be written or read again.
    case file(path: String, FileError)
    /// The tile does not come after the tile before, in the order of tile IDs.
    case notAscending(TileCoordinate, after: TileCoordinate)
    /// The image has no bytes, or more than `limit`.
    case imageSize(TileCoordinate, bytes: Int, limit: Int)
    /// The archive has no tiles.
    case noTiles
    /// The description has no format, or a format that PMTiles does not know.
    case format
    /// The directories of this number of entries do not fit.
    case tooManyEntries(UInt64)
    /// The metadata has more than this number of bytes, or is no JSON.
    case metadata(limit: Int)
    /// The system has no memory for compression.
    case outOfMemory
    /// The archive was finished or discarded before.
    case closed

    package var description: String { PlainText.of(reason, limit: 512) }

    private var reason: String {
        switch self {
        case .exists(let path): "\(path) exists; choose another name, or allow to replace the file"
        case .file(let path, let error): "\(path) cannot be written: \(error)"
        case .notAscending(let tile, let last):
            "tile \(tile) follows tile \(last), expected ascending tile IDs; write each tile once, in their order"
        case .imageSize(let tile, let bytes, let limit):
            "the image of tile \(tile) has \(bytes) bytes, expected 1 to \(limit)"
        case .noTiles: "the archive has no tiles, and PMTiles allows no empty archive; write at least one tile"
        case .format: "expected PNG, JPEG or WebP as the format of the archive"
        case .tooManyEntries(let count):
            "the directories of \(count) entries do not fit into an archive; write several archives"
        case .metadata(let limit): "the metadata of the archive has more than \(limit) bytes; shorten its texts"
        case .outOfMemory: "no memory is left to compress a directory"
        case .closed: "the archive was finished or discarded before; begin a new one"
        }
    }
}
