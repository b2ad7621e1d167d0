import Files
import GRDB
import Glibc

/// A connection to an MBTiles file, with no right to write and no trust in what its schema says. Each read ends in time.
///
/// A class to own the connection. Thread rule: any thread that may block; one at a time.
final class MBTilesConnection: Sendable {
    private let database: DatabaseQueue
    private let budget: MBTilesBudget

    /// Opens the file, within `seconds`. Throws `DatabaseError`, or a fault.
    init(_ path: String, seconds: Double) throws {
        let budget = MBTilesBudget()
        budget.begin(seconds: seconds)
        self.budget = budget
        database = try Self.faults(of: budget, seconds) { try Self.open(path, budget) }
    }

    /// Returns the result of `body`, within `seconds`. Throws `DatabaseError`, or the fault for which the read was ended.
    func read<Value>(within seconds: Double, _ body: (Database) throws -> Value) throws -> Value {
        budget.begin(seconds: seconds)
        return try Self.faults(of: budget, seconds) { try database.unsafeRead(body) }
    }

    private static func faults<Value>(
        of budget: MBTilesBudget, _ seconds: Double, _ body: () throws -> Value
    ) throws -> Value {
        do {
            return try body()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
            switch budget.ended {
            case .time:
                throw MBTilesError.ContentError.tooSlow(milliseconds: Int(clamping: Int64(min(seconds, 1e9) * 1e3)))
            case .memory: throw MBTilesError.ContentError.tooMuchMemory(limit: MBTilesBudget.mostMemory)
            case nil: throw error
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_TOOBIG {
            throw MBTilesError.ContentError.valueTooLarge(limit: MBTilesBudget.longestValue)
        }
    }

    private static func open(_ path: String, _ budget: MBTilesBudget) throws -> DatabaseQueue {
        let path = absolute(path)
        try checkFilesBeside(path)
        let configuration = configuration(budget)
        do {
            return try DatabaseQueue(path: path, configuration: configuration)
        } catch let error as DatabaseError where couldNotWriteBeside(error) && isInWALMode(path) {
            // SQLite reads such a file with the help of two others beside it, and here it cannot make them. All there
            // is to read is in the file itself, if there is no log.
            guard logIsEmpty(path) else { throw MBTilesError.ContentError.unreadableLog }
            return try DatabaseQueue(path: "file:\(escaped(path))?immutable=1", configuration: configuration)
        }
    }

    /// SQLite looks for these beside a database, and would wait in `open` for the writer of a pipe.
    private static func checkFilesBeside(_ path: String) throws(MBTilesError.ContentError) {
        for suffix in ["-journal", "-wal", "-shm"] {
            var status = stat()
            guard stat(path + suffix, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { continue }
            throw .inaccessible("expected a regular file or nothing at …\(suffix)")
        }
    }

    private static func configuration(_ budget: MBTilesBudget) -> Configuration {
        var configuration = Configuration()
        configuration.readonly = true
        // A program that writes the file locks it for moments only.
        configuration.busyMode = .timeout(1)
        configuration.prepareDatabase { database in
            try budget.install(in: database)
            // The file's own views may not call functions with side effects; nothing is mapped into memory, since the
            // file may be cut at any time; half a mebibyte of pages per connection; and what a view sorts is kept in memory, which is
            // counted, and not in temporary files, which are not.
            try database.execute(
                sql: """
                    PRAGMA trusted_schema = OFF; PRAGMA mmap_size = 0; PRAGMA cache_size = -512; PRAGMA temp_store = MEMORY
                    """)
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
        // A file that cannot be read is in no mode.
        guard let file = try? RegularFile(path), let header = try? file.prefix(20) else { return false }
        return header.count == 20 && header[19] == 2
    }

    private static func logIsEmpty(_ path: String) -> Bool {
        var status = stat()
        return stat("\(path)-wal", &status) != 0 || status.st_size == 0
    }
}
