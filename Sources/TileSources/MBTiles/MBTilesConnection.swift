import GRDB
import Glibc

/// Opens an MBTiles file as SQLite should, with no right to write and no trust in what its schema says.
enum MBTilesConnection {
    /// Throws `DatabaseError`, or a fault.
    static func open(_ path: String) throws -> DatabaseQueue {
        let path = absolute(path)
        do {
            return try DatabaseQueue(path: path, configuration: configuration)
        } catch let error as DatabaseError where couldNotWriteBeside(error) && isInWALMode(path) {
            // SQLite reads such a file with the help of two others beside it, and here it cannot make them. All there
            // is to read is in the file itself, if there is no log.
            guard logIsEmpty(path) else { throw MBTilesError.ContentError.unreadableLog }
            return try DatabaseQueue(path: "file:\(escaped(path))?immutable=1", configuration: configuration)
        }
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.readonly = true
        // A program that writes the file locks it for moments only.
        configuration.busyMode = .timeout(1)
        configuration.prepareDatabase { database in
            // The file's own views may not call functions with side effects; nothing is mapped into memory, since the
            // file may be cut at any time; and half a mebibyte of pages per connection.
            try database.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA mmap_size = 0; PRAGMA cache_size = -512")
        }
        return configuration
    }

    /// SQLite takes a path that begins with `file:` for a URI; an absolute one never does.
    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let directory = getcwd(nil, 0) else { return path }
        defer { free(directory) }
        return "\(String(cString: directory))/\(path)"
    }

    /// `path` for a URI (sqlite.org/uri.html).
    private static func escaped(_ path: String) -> String {
        path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
    }

    private static func couldNotWriteBeside(_ error: DatabaseError) -> Bool {
        [.SQLITE_CANTOPEN, .SQLITE_READONLY].contains(error.resultCode)
    }

    /// The read version in the header (sqlite.org/fileformat2.html 1.3.3).
    private static func isInWALMode(_ path: String) -> Bool {
        guard let file = fopen(path, "rbe") else { return false }
        defer { fclose(file) }
        var header = [UInt8](repeating: 0, count: 20)
        return fread(&header, 1, header.count, file) == header.count && header[19] == 2
    }

    private static func logIsEmpty(_ path: String) -> Bool {
        var status = stat()
        return stat("\(path)-wal", &status) != 0 || status.st_size == 0
    }
}
