import CSQLite
import Files

/// A connection to an SQLite database that this process creates. No other process uses the database.
///
/// This is a class because it owns SQLite's connection. Thread rule: any thread that may block can use the connection,
/// but only one thread at a time.
final class MBTilesDatabase: Sendable {
    /// The name of the file in messages.
    private let name: String
    // Invariant behind nonisolated(unsafe): the writer that owns the database uses it on one thread at a time.
    nonisolated(unsafe) private var connection: OpaquePointer?
    nonisolated(unsafe) private var statements: [String: OpaquePointer] = [:]

    /// The value of a parameter in an SQL statement.
    enum Value {
        case number(Int64)
        case text(String)
        case bytes(UnsafeRawBufferPointer)
    }

    /// Opens a database in the empty file at `path`. The path must be absolute: SQLite reads a relative path as a URI
    /// if the path begins with `file:`. If `path` is empty, SQLite makes a temporary database. Error messages call the
    /// file `name`.
    init(path: String, name: String) throws(TileArchiveError) {
        self.name = name
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(path, &connection, flags, nil) == SQLITE_OK else {
            let error = error()
            sqlite3_close_v2(connection)
            throw error
        }
    }

    deinit { close() }

    /// Runs the SQL statement `sql`, and ignores rows of the result. `values` are the parameters of the statement, in
    /// order. The connection keeps the compiled statement for the next call with the same `sql`.
    func run(_ sql: String, _ values: Value...) throws(TileArchiveError) {
        let statement = try statement(sql)
        for (index, value) in values.enumerated() { try bind(value, Int32(index + 1), statement) }
        var code = sqlite3_step(statement)
        // A PRAGMA may answer with its new value.
        while code == SQLITE_ROW { code = sqlite3_step(statement) }
        // Read the message before `reset`. A failed statement holds locks until it is reset.
        let error = code == SQLITE_DONE ? nil : error()
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
        if let error { throw error }
    }

    /// The number of rows that the last INSERT statement has added. 0 after `close`.
    var changes: Int { connection.map { Int(sqlite3_changes($0)) } ?? 0 }

    /// Runs the query `sql`. Calls `visit` with the integer in the first column of each row of the result.
    func forEach(_ sql: String, _ visit: (Int64) throws -> Void) throws {
        let statement = try statement(sql)
        defer { sqlite3_reset(statement) }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: try visit(sqlite3_column_int64(statement, 0))
            case SQLITE_DONE: return
            default: throw error()
            }
        }
    }

    /// Closes the connection. A second call does nothing.
    func close() {
        for statement in statements.values { sqlite3_finalize(statement) }
        statements = [:]
        sqlite3_close_v2(connection)
        connection = nil
    }

    private func statement(_ sql: String) throws(TileArchiveError) -> OpaquePointer {
        if let statement = statements[sql] { return statement }
        guard let connection else { throw .closed(path: name) }
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
            throw error()
        }
        statements[sql] = statement
        return statement
    }

    private func bind(_ value: Value, _ index: Int32, _ statement: OpaquePointer) throws(TileArchiveError) {
        // -1 is SQLITE_TRANSIENT: SQLite copies a text. The bytes of an image live until the statement is reset.
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        let code =
            switch value {
            case .number(let number): sqlite3_bind_int64(statement, index, number)
            case .text(let text): sqlite3_bind_text(statement, index, text, -1, copied)
            case .bytes(let bytes):
                bytes.isEmpty
                    ? sqlite3_bind_zeroblob(statement, index, 0)
                    : sqlite3_bind_blob64(statement, index, bytes.baseAddress, UInt64(bytes.count), nil)
            }
        guard code == SQLITE_OK else { throw error() }
    }

    private func error() -> TileArchiveError {
        let message = sqlite3_errmsg(connection).map { String(cString: $0) } ?? "no memory is left"
        return .database(path: name, message: message)
    }
}
