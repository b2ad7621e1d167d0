import Files
import Glibc

/// The kinds of archives that the command `tileserver verify` can check. The first bytes of a file tell the kind of the
/// archive. The name of the file does not matter.
package enum ArchiveKind: Hashable, Sendable {
    case mbtiles, pmtiles

    /// Finds the kind of the file at `path`. Throws `FileError` if the file cannot be read. Throws `UnknownError` if
    /// the file begins neither like a PMTiles archive nor like an SQLite database.
    package init(path: String) throws {
        try self.init(firstBytes: try RegularFile(path).prefix(16))
    }

    /// Finds the kind of a file from `bytes`: the first 16 bytes of the file, or all bytes of a shorter file. Throws
    /// `UnknownError` for any other file.
    init(firstBytes bytes: [UInt8]) throws(UnknownError) {
        // SQLite's header string (sqlite.org/fileformat2.html 1.3). A PMTiles archive of version 1 or 2 begins with
        // `PM` and the version, and its reader names the version.
        if bytes.starts(with: Array("SQLite format 3\0".utf8)) {
            self = .mbtiles
        } else if bytes.starts(with: Array("PM".utf8)) {
            self = .pmtiles
        } else {
            throw bytes.isEmpty ? .empty : bytes.starts(with: Array("PK".utf8)) ? .zip : .other
        }
    }

    /// The reason why a file cannot be verified: the file is empty, a ZIP file, or of an unknown kind.
    package enum UnknownError: Error, Hashable, Sendable, CustomStringConvertible {
        case empty, zip, other

        package var description: String {
            switch self {
            case .empty: "expected a PMTiles or MBTiles archive, found an empty file"
            case .zip: "expected a PMTiles or MBTiles archive, found a ZIP file, which cannot be verified"
            case .other: "expected a PMTiles or MBTiles archive, found a file of another kind"
            }
        }
    }
}
