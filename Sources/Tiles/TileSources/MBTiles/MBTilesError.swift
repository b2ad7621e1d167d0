import CSQLite
import Files
import Raster
import Tiles

/// The reason why an MBTiles file cannot be served. The description names the file, and is one line without control
/// characters.
package struct MBTilesError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path as it was given.
    package let path: String
    /// The problem.
    package let fault: ContentError

    /// The problems that make an MBTiles file unusable.
    package enum ContentError: Error, Hashable {
        /// The file cannot be opened, or a file beside it is not a regular file. Holds the reason.
        case inaccessible(String)
        /// The path holds this kind of file instead of a regular file.
        case notAFile(FileError.Kind)
        /// The content is not a SQLite database.
        case notADatabase
        /// The database has no `tiles`, or `tiles` lacks one of the four columns (MBTiles 1.3, Tiles).
        case noTiles
        /// The tiles are vector tiles, which this server does not serve.
        case vectorTiles
        /// Another program locks the file.
        case locked
        /// The file is in WAL mode. SQLite cannot read the changes in its log if SQLite may not write beside the file.
        case unreadableLog
        /// Opening the file or reading its metadata takes longer than this.
        case tooSlow(milliseconds: Int)
        /// Reading the file takes too much memory, or a connection keeps too much. Holds the limit in bytes.
        case tooMuchMemory(limit: Int)
        /// The file's views refer to each other in too long a chain.
        case tooDeep
        /// A value in the file has more than this many bytes.
        case valueTooLarge(limit: Int)
        /// SQLite cannot read the file. Holds SQLite's message.
        case unreadable(String)
    }

    /// Takes the reason from a `ContentError`, or from an error of SQLite.
    init(path: String, _ error: any Error) {
        let fault: ContentError =
            switch error {
            case let fault as ContentError: fault
            case let error as SQLiteError:
                error.isLocked ? .locked : error.kind == SQLITE_NOTADB ? .notADatabase : .unreadable(error.message)
            default: .unreadable("\(error)")
            }
        self.init(path: path, fault: fault)
    }

    /// Creates an error of the file at `path`.
    init(path: String, fault: ContentError) { (self.path, self.fault) = (path, fault) }

    /// Returns the description of an error without a path.
    static func reason(_ error: any Error) -> String { PlainText.of(MBTilesError(path: "", error).reason, limit: 256) }

    package var description: String {
        "\(PlainText.of(path, limit: 256)): \(PlainText.of(reason, limit: 256))"
    }

    private static func seconds(_ milliseconds: Int) -> String {
        milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000)" : "\(Double(milliseconds) / 1_000)"
    }

    var reason: String {
        switch fault {
        case .inaccessible(let why): "the MBTiles file cannot be opened: \(why)"
        case .notAFile(let kind): "expected an MBTiles file, found \(kind)"
        case .notADatabase: "expected an MBTiles file, found a file that is no SQLite database"
        case .noTiles:
            "expected an MBTiles file, found a database without a table or view tiles that has the columns "
                + MBTilesFile.columns.joined(separator: ", ")
        case .vectorTiles: "the MBTiles file holds vector tiles; only raster tiles (PNG, JPEG, WebP) are served"
        case .locked: "the MBTiles file is locked by another program that writes to it"
        case .unreadableLog:
            "the MBTiles file is in WAL mode with changes in its -wal file, which cannot be read without "
                + "write access. Merge them with PRAGMA journal_mode=delete"
        case .tooSlow(let milliseconds):
            "the MBTiles file's metadata and tiles could not be read within \(Self.seconds(milliseconds)) s. "
                + "Check for an endless view or a missing index on zoom_level, tile_column, tile_row"
        case .tooMuchMemory(let limit):
            "the MBTiles file's metadata and tiles could not be read with \(limit) bytes of memory"
        case .tooDeep: "the MBTiles file's views are nested too deeply"
        case .valueTooLarge(let limit): "the MBTiles file has a value of more than \(limit) bytes"
        case .unreadable(let why): "the MBTiles file cannot be read: \(why)"
        }
    }
}

/// An event of an MBTiles layer, for example a damaged tile.
package enum MBTilesEvent: Hashable, Sendable {
    /// The file's value for this tile is not an image that may be served.
    case corrupt(ImageHeaderError)
    /// The file's value for this tile has more than this many bytes, or reading the value takes too much memory.
    case tooLarge(limit: Int)
    /// SQLite could not read the tile. Holds its extended result code and its message. The code is 0 if the reason is
    /// not an error of SQLite.
    case unreadable(code: Int32, message: String)
    /// The tile could not be read within these seconds.
    case tooSlow(seconds: Double)
    /// Too much work is already waiting, or there is not enough memory for the tile.
    case overloaded
    /// The file was changed or replaced. The new file is served from now on.
    case replaced
    /// The file was changed or replaced, but the new file cannot be used. The earlier file is still served, unless the
    /// error is `locked`. While another program locks the new file, there are no tiles.
    case notReplaced(MBTilesError)
}
