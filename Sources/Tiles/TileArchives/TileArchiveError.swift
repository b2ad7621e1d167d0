import Files
import MapGeometry
import Tiles

/// The reason why an archive cannot be written. The error's description is one line without control characters. The
/// description names the file if the error has a path.
package enum TileArchiveError: Error, Hashable, Sendable {
    /// A tile arrived out of order. The first associated value is this tile, and `after` is the tile that was appended
    /// before. The PMTiles tile ID of each tile must be greater than the ID of the tile before.
    case outOfOrder(TileCoordinate, after: TileCoordinate)
    /// The archive was finished or discarded before.
    case closed(path: String)
    /// A file exists at `path`, and the caller does not allow the writer to replace the file.
    case exists(path: String)
    /// The directory at `path` is not empty, and the caller does not allow the writer to replace files in the
    /// directory.
    case notEmpty(path: String)
    /// A file cannot be written.
    case unwritable(path: String, FileError)
    /// SQLite cannot write the file at `path`. `message` is the error message of SQLite.
    case database(path: String, message: String)
    /// The image of a tile is empty or has more than `limit` bytes. The first associated value is the tile, and `bytes`
    /// is the size of its image. The limit depends on the archive format.
    case imageSize(TileCoordinate, bytes: Int, limit: Int)
    /// No tile was appended, but a PMTiles archive needs at least one tile.
    case noTiles
    /// The description that was passed to `finish` has no image format, or a format that PMTiles does not know.
    case format
    /// The archive has so many directory entries that the root directory does not fit into the first 16,384 bytes. The
    /// associated value is the number of entries.
    case tooManyEntries(UInt64)
    /// The metadata of the archive has more than `limit` bytes as JSON, or cannot be encoded as JSON.
    case metadata(limit: Int)
    /// The system has no memory for compression.
    case outOfMemory
}

extension TileArchiveError: CustomStringConvertible {
    package var description: String { PlainText.of(sentence, limit: 512) }

    private var sentence: String {
        switch self {
        case .outOfOrder(let tile, let last):
            "tile \(tile) after tile \(last): expected tiles in ascending order of their PMTiles tile IDs"
        case .closed(let path): "\(path): the archive is complete or was discarded; begin a new one"
        case .exists(let path):
            "\(path) exists; choose another name, or allow to replace the file"
        case .notEmpty(let path):
            "\(path) is a directory that is not empty; choose another directory, or allow to replace its files"
        case .unwritable(let path, let error): "\(path) cannot be written: \(error)"
        case .database(let path, let message): "\(path) cannot be written: SQLite says: \(message)"
        case .imageSize(let tile, let bytes, let limit):
            "the image of tile \(tile) has \(bytes) bytes, expected 1 to \(limit)"
        case .noTiles: "the archive has no tiles, and PMTiles allows no empty archive; write at least one tile"
        case .format: "expected PNG, JPEG or WebP as the format of the archive"
        case .tooManyEntries(let count):
            "\(count) entries are too many for the directories of one archive; write several archives"
        case .metadata(let limit): "the metadata of the archive has more than \(limit) bytes; shorten its texts"
        case .outOfMemory: "no memory is left to compress a part of the archive"
        }
    }
}
