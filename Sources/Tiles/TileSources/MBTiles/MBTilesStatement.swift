import Bytes
import CSQLite

/// An error of SQLite.
struct SQLiteError: Error {
    /// The extended result code.
    let code: Int32
    let message: String

    /// The error of the last call to `connection`.
    init(_ connection: OpaquePointer?) {
        code = sqlite3_extended_errcode(connection)
        message = sqlite3_errmsg(connection).map { String(cString: $0) } ?? ""
    }

    /// The kind of error: the low byte of the code.
    var kind: Int32 { code & 0xFF }

    /// True if another program locks the file.
    var isLocked: Bool { kind == SQLITE_BUSY }
}

/// A statement and its current row. SQLite may run out of its memory limit in any call, and then values are nil. So a
/// result is valid only after the read has ended within its budget.
///
/// This is a class because it owns SQLite's statement. Thread rule: like its connection.
final class MBTilesStatement {
    private let statement: OpaquePointer
    private let connection: OpaquePointer

    init(_ sql: String, in connection: OpaquePointer) throws(SQLiteError) {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
            throw SQLiteError(connection)
        }
        (self.statement, self.connection) = (statement, connection)
    }

    deinit { sqlite3_finalize(statement) }

    func bind(_ values: Int...) throws(SQLiteError) {
        for (index, value) in values.enumerated() {
            guard sqlite3_bind_int64(statement, Int32(index + 1), Int64(value)) == SQLITE_OK else {
                throw SQLiteError(connection)
            }
        }
    }

    /// Goes to the next row. Returns false after the last one.
    func next() throws(SQLiteError) -> Bool {
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw SQLiteError(connection)
        }
    }

    /// Ends the read, so that other programs may write.
    func reset() { sqlite3_reset(statement) }

    /// Returns a whole number. Nil if the column has none.
    func int(_ column: Int32) -> Int? {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: Int(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: Int(exactly: sqlite3_column_double(statement, column))
        default: nil
        }
    }

    func text(_ column: Int32) -> String? {
        guard sqlite3_column_type(statement, column) == SQLITE_TEXT, let text = sqlite3_column_text(statement, column)
        else { return nil }
        return String(cString: text)
    }

    /// Returns the bytes of a blob or a text. Nil if it is empty or longer than `limit`.
    func bytes(_ column: Int32, atMost limit: Int) -> SharedBytes? {
        guard let bytes = sqlite3_column_blob(statement, column) else { return nil }
        let count = Int(sqlite3_column_bytes(statement, column))
        guard (1...limit).contains(count) else { return nil }
        return SharedBytes(UnsafeRawBufferPointer(start: bytes, count: count))
    }
}
