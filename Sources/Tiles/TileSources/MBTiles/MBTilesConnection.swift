import CSQLite
import Files
import Glibc

/// A connection to an MBTiles file, with no right to write and no trust in what its schema says. Each read ends in time.
///
/// A class to own SQLite's connection. Thread rule: any thread that may block; one at a time.
final class MBTilesConnection: Sendable {
    private let connection: OpenConnection
    // Invariant behind nonisolated(unsafe): only the one thread that reads uses it.
    nonisolated(unsafe) private var statements: [String: MBTilesStatement] = [:]

    /// Seconds for which a read waits while another program locks the file: a program that writes it does so for moments only.
    private static let longestLock = 1.0

    /// Opens the file, within `seconds`. With `waits: false` a file that another program locks is refused at once. Throws
    /// `SQLiteError`, or a fault.
    init(_ path: String, seconds: Double, waits: Bool = true) throws {
        let lockWait = Self.lockWait(seconds, waits)
        connection = try Self.bounded(seconds) {
            let opened = try Self.open(path, lockWait)
            guard sqlite_bounds_used() <= MBTilesBudget.mostKept else {
                throw MBTilesError.ContentError.tooMuchMemory(limit: MBTilesBudget.mostKept)
            }
            return opened
        }
    }

    deinit {
        // Before their connection.
        statements = [:]
    }

    /// Returns the result of `body`, within `seconds`. With `waits: false` a read of a file that another program locks fails at
    /// once. Throws `SQLiteError`, or the fault for which the read was ended.
    func read<Value>(within seconds: Double, waits: Bool = true, _ body: () throws -> Value) throws -> Value {
        try Self.bounded(seconds) {
            sqlite_bounds_watch(connection.pointer)
            sqlite3_busy_timeout(connection.pointer, Self.lockWait(seconds, waits))
            return try body()
        }
    }

    /// A statement for one read.
    func statement(_ sql: String) throws(SQLiteError) -> MBTilesStatement {
        try MBTilesStatement(sql, in: connection.pointer)
    }

    /// A statement that is kept; to be reset after each read.
    func keptStatement(_ sql: String) throws(SQLiteError) -> MBTilesStatement {
        if let statement = statements[sql] { return statement }
        let statement = try statement(sql)
        statements[sql] = statement
        return statement
    }

    private static func bounded<Value>(_ seconds: Double, _ body: () throws -> Value) throws -> Value {
        do {
            return try MBTilesBudget.within(seconds: seconds, body)
        } catch let error as SQLiteError where error.kind == SQLITE_TOOBIG {
            throw MBTilesError.ContentError.valueTooLarge(limit: MBTilesBudget.longestValue)
        }
    }

    /// In milliseconds.
    private static func lockWait(_ seconds: Double, _ waits: Bool) -> Int32 {
        waits ? Int32(min(seconds, longestLock) * 1_000) : 0
    }

    private static func open(_ path: String, _ lockWait: Int32) throws -> OpenConnection {
        let path = absolute(path)
        try checkFilesBeside(path)
        do {
            return try OpenConnection(path, lockWait)
        } catch let error as SQLiteError where couldNotWriteBeside(error) && isInWALMode(path) {
            // SQLite reads such a file with the help of two others beside it, and here it cannot make them. All there
            // is to read is in the file itself, if there is no log.
            guard logIsEmpty(path) else { throw MBTilesError.ContentError.unreadableLog }
            return try OpenConnection("file:\(escaped(path))?immutable=1", lockWait)
        }
    }

    /// SQLite looks for these beside a database. One that comes later is refused when SQLite opens it, without a name.
    private static func checkFilesBeside(_ path: String) throws(MBTilesError.ContentError) {
        for suffix in ["-journal", "-wal", "-shm"] {
            var status = stat()
            guard stat(path + suffix, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { continue }
            throw .inaccessible("expected a regular file or nothing at …\(suffix)")
        }
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

    private static func couldNotWriteBeside(_ error: SQLiteError) -> Bool {
        [SQLITE_CANTOPEN, SQLITE_READONLY].contains(error.kind)
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

/// A class to own SQLite's connection. Thread rule: one thread at a time.
private final class OpenConnection: Sendable {
    // Invariant behind nonisolated(unsafe): SQLite's connections may be used by one thread after another.
    nonisolated(unsafe) let pointer: OpaquePointer

    /// Opens the file at `path`, which may be a URI, and reads its schema. Waits `lockWait` milliseconds while another program
    /// locks it. Throws `SQLiteError`.
    init(_ path: String, _ lockWait: Int32) throws {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            defer { sqlite_bounds_close(opened) }
            throw SQLiteError(opened)
        }
        pointer = opened
        sqlite_bounds_watch(pointer)
        sqlite3_extended_result_codes(pointer, 1)
        sqlite3_busy_timeout(pointer, lockWait)
        MBTilesBudget.install(in: pointer)
        // The file's own views may not call functions with side effects; nothing is mapped into memory, since the file may be cut at
        // any time; half a mebibyte of pages per connection; and what a view sorts is kept in memory, which is counted, and not in
        // temporary files, which are not.
        for sql in [
            "PRAGMA trusted_schema = OFF", "PRAGMA mmap_size = 0", "PRAGMA cache_size = -512",
            "PRAGMA temp_store = MEMORY", "SELECT 1 FROM sqlite_master LIMIT 1",
        ] {
            _ = try MBTilesStatement(sql, in: pointer).next()
        }
    }

    deinit { sqlite_bounds_close(pointer) }
}
