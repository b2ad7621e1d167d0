import CSQLite
import Files
import Glibc

/// A read-only connection to an MBTiles file. The connection does not trust the file's tables and views, so each read
/// has limits of time and memory.
///
/// This is a class because it owns SQLite's connection. Thread rule: any thread that may block, one at a time.
final class MBTilesConnection: Sendable {
    private let connection: OpenConnection
    // Invariant behind nonisolated(unsafe): only the thread that reads at the moment uses it.
    nonisolated(unsafe) private var statements: [String: MBTilesStatement] = [:]

    /// Maximum seconds that a read waits while another program locks the file. A program that writes the file usually
    /// locks it only briefly.
    private static let longestLock = 1.0

    /// Opens the file within `seconds`. If `waits` is false, a file that another program locks is refused at once.
    /// Throws `SQLiteError` or a fault.
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
        // Statements must be finalised before their connection closes.
        statements = [:]
    }

    /// Returns the result of `body`, within `seconds`. If `waits` is false, fails at once while another program locks
    /// the file. Throws `SQLiteError`, or the fault for which the read was ended.
    func read<Value>(within seconds: Double, waits: Bool = true, _ body: () throws -> Value) throws -> Value {
        try Self.bounded(seconds) {
            sqlite_bounds_watch(connection.pointer)
            sqlite3_busy_timeout(connection.pointer, Self.lockWait(seconds, waits))
            return try body()
        }
    }

    /// SQLite's connection, for use within a read.
    var pointer: OpaquePointer { connection.pointer }

    /// Returns a statement for one read.
    func statement(_ sql: String) throws(SQLiteError) -> MBTilesStatement {
        try MBTilesStatement(sql, in: connection.pointer)
    }

    /// Returns a statement that is kept for later. Reset it after each read.
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

    /// Maximum wait for a lock in milliseconds.
    private static func lockWait(_ seconds: Double, _ waits: Bool) -> Int32 {
        waits ? Int32(min(seconds, longestLock) * 1_000) : 0
    }

    private static func open(_ path: String, _ lockWait: Int32) throws -> OpenConnection {
        let path = absolute(path)
        try checkFilesBeside(path)
        do {
            return try OpenConnection(path, lockWait)
        } catch let error as SQLiteError where couldNotWriteBeside(error) && isInWALMode(path) {
            // SQLite reads a file in WAL mode with the help of two files beside it, which it cannot create here. If
            // there is no log, all data is in the file itself.
            guard logIsEmpty(path) else { throw MBTilesError.ContentError.unreadableLog }
            return try OpenConnection("file:\(escaped(path))?immutable=1", lockWait)
        }
    }

    /// Refuses files beside a database that SQLite would read and that are not regular. If such a file appears later,
    /// SQLite refuses it, but does not name it.
    private static func checkFilesBeside(_ path: String) throws(MBTilesError.ContentError) {
        for suffix in ["-journal", "-wal", "-shm"] {
            var status = stat()
            guard stat(path + suffix, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { continue }
            throw .inaccessible("expected a regular file or nothing at …\(suffix)")
        }
    }

    /// Returns an absolute path. SQLite treats a path that begins with `file:` as a URI, and an absolute path never
    /// does.
    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let directory = getcwd(nil, 0) else { return path }
        defer { free(directory) }
        return "\(String(cString: directory))/\(path)"
    }

    /// Escapes `path` for a URI (sqlite.org/uri.html).
    private static func escaped(_ path: String) -> String {
        path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
    }

    private static func couldNotWriteBeside(_ error: SQLiteError) -> Bool {
        [SQLITE_CANTOPEN, SQLITE_READONLY].contains(error.kind)
    }

    /// Reads the read version in the header (sqlite.org/fileformat2.html 1.3.3).
    private static func isInWALMode(_ path: String) -> Bool {
        // A file that cannot be read has no mode.
        guard let file = try? RegularFile(path), let header = try? file.prefix(20) else { return false }
        return header.count == 20 && header[19] == 2
    }

    private static func logIsEmpty(_ path: String) -> Bool {
        var status = stat()
        return stat("\(path)-wal", &status) != 0 || status.st_size == 0
    }
}

/// Owns SQLite's connection, and closes it at the end. Thread rule: one thread at a time.
private final class OpenConnection: Sendable {
    // Invariant behind nonisolated(unsafe): a SQLite connection may be used by one thread after another.
    nonisolated(unsafe) let pointer: OpaquePointer

    /// Opens the file at `path`, which may be a URI, and reads its schema. If another program has locked the file,
    /// waits at most `lockWait` milliseconds. Throws `SQLiteError`.
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
        // The file's views must not call functions with side effects. The file is not memory-mapped, because it may be
        // truncated at any time. A connection caches up to half a mebibyte of pages. Views sort in memory, which is
        // counted, and not in temporary files, which are not.
        for sql in [
            "PRAGMA trusted_schema = OFF", "PRAGMA mmap_size = 0", "PRAGMA cache_size = -512",
            "PRAGMA temp_store = MEMORY", "SELECT 1 FROM sqlite_master LIMIT 1",
        ] {
            _ = try MBTilesStatement(sql, in: pointer).next()
        }
    }

    deinit { sqlite_bounds_close(pointer) }
}
