import Files
import MapGeometry
import Tiles

/// The reason why an archive cannot be written. The description names the file, and is one line without control
/// characters.
package enum TileArchiveError: Error, Hashable, Sendable {
    /// The tile does not come after the tile before, in ascending order of PMTiles tile IDs.
    case outOfOrder(TileCoordinate, after: TileCoordinate)
    /// The archive was finished or discarded before.
    case closed(path: String)
    /// The target appeared after the draft was begun, and may not be replaced.
    case exists(path: String)
    /// A directory is not empty, and may not be replaced.
    case notEmpty(path: String)
    /// A file cannot be written.
    case unwritable(path: String, FileError)
    /// SQLite cannot write the file. Holds SQLite's message.
    case database(path: String, message: String)
    /// The image of this tile has more bytes than a file of the archive may have.
    case tooLarge(TileCoordinate, bytes: Int, limit: Int)
}

extension TileArchiveError: CustomStringConvertible {
    package var description: String { PlainText.of(sentence, limit: 512) }

    private var sentence: String {
        switch self {
        case .outOfOrder(let tile, let last):
            "tile \(tile) after tile \(last): expected tiles in ascending order of their PMTiles tile IDs"
        case .closed(let path): "\(path): the archive is complete or was discarded; begin a new one"
        case .exists(let path):
            "\(path) appeared while the archive was written; choose another name, or allow to replace the file"
        case .notEmpty(let path):
            "\(path) is a directory that is not empty; choose another directory, or allow to replace its files"
        case .unwritable(let path, let error): "\(path) cannot be written: \(error)"
        case .database(let path, let message): "\(path) cannot be written: SQLite says: \(message)"
        case .tooLarge(let tile, let bytes, let limit):
            "tile \(tile) has an image of \(bytes) bytes; expected at most \(limit)"
        }
    }
}
