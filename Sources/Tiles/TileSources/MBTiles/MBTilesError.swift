import Files
import Raster

/// Why an MBTiles file cannot be served. The description names the file and is one line without control characters.
package struct MBTilesError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path as it was given.
    package let path: String
    /// What is wrong.
    package let fault: ContentError

    /// What can be wrong with a file.
    package enum ContentError: Error, Hashable {
        /// It cannot be opened; why, in the system's words.
        case inaccessible(String)
        /// It is no regular file, but a file of this kind.
        case notAFile(FileError.Kind)
        /// Its content is no SQLite database.
        case notADatabase
        /// It has no `tiles`, or `tiles` has not the four columns (MBTiles 1.3, Tiles).
        case noTiles
        /// Its tiles are vector tiles; this server has no use for them.
        case vectorTiles
        /// Another program locks it.
        case locked
        /// It is in WAL mode, and what its log holds cannot be read where SQLite may not write beside it.
        case unreadableLog
        /// Opening it, or reading what it says of itself, takes longer than this.
        case tooSlow(milliseconds: Int)
        /// Reading it takes more than this many bytes of memory.
        case tooMuchMemory(limit: Int)
        /// Its views name each other in too long a chain.
        case tooDeep
        /// A value in it has more than this many bytes.
        case valueTooLarge(limit: Int)
        /// SQLite cannot read it; why, in SQLite's words.
        case unreadable(String)
    }

    package var description: String {
        "\(PlainText.of(path, limit: 256)): \(PlainText.of(reason, limit: 256))"
    }

    private static func seconds(_ milliseconds: Int) -> String {
        milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000)" : "\(Double(milliseconds) / 1_000)"
    }

    private var reason: String {
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

/// What an MBTiles layer has to say beside its answers: for logs and counters.
package enum MBTilesEvent: Hashable, Sendable {
    /// What the file holds for this tile is not an image that may be served.
    case corrupt(ImageHeaderError)
    /// What the file holds for this tile has more than this many bytes.
    case tooLarge(limit: Int)
    /// SQLite could not read the tile: its extended result code, and its words.
    case unreadable(code: Int32, message: String)
    /// The tile could not be read within these seconds.
    case tooSlow(seconds: Double)
    /// Too much work is waiting already.
    case overloaded
    /// Another file replaced the one that was served, and is served from here on.
    case replaced
    /// Another file replaced it and cannot be used: the one that was served still is.
    case notReplaced(MBTilesError)
}
