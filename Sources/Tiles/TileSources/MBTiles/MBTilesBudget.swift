import CSQLite
import Runtime

/// Bounds the time and memory of one read of an MBTiles file. A view is a program by the file's author: it may never end, make
/// values of any size, or take for ever to be compiled.
enum MBTilesBudget {
    /// The longest value and row that SQLite makes, in bytes: a tile, and room for the row around it.
    static let longestValue = MBTilesLayer.largestTile + 65_536
    /// Bytes that SQLite takes for one read. All reads together take so many and 8 MiB each, which a tile never needs.
    static let mostMemory = 64 << 20
    /// Bytes that an open connection keeps: its schema, and pages. They are counted nowhere else.
    static let mostKept = 4 << 20
    /// Instructions of SQLite's virtual machine between two checks. One takes 20 ns, or makes one value.
    private static let step: Int32 = 20

    /// Returns the result of `body`, whose use of SQLite on this thread ends within `seconds`. Throws an `SQLiteError`, or the fault
    /// for which `body` was ended.
    static func within<Value>(seconds: Double, _ body: () throws -> Value) throws -> Value {
        sqlite_bounds_begin(Int64(MonotonicTime.now().adding(seconds: seconds).nanoseconds), Int64(mostMemory))
        let result = Result(catching: body)
        switch sqlite_bounds_end() {
        case SQLITE_EXCESS_NONE: return try result.get()
        case SQLITE_EXCESS_TIME:
            throw MBTilesError.ContentError.tooSlow(milliseconds: Int(clamping: Int64(min(seconds, 1e9) * 1e3)))
        case SQLITE_EXCESS_MEMORY: throw MBTilesError.ContentError.tooMuchMemory(limit: mostMemory)
        default: throw MBTilesError.ContentError.tooDeep
        }
    }

    /// Has the reads of `connection` keep to the budget of the thread that reads.
    static func install(in connection: OpaquePointer) {
        sqlite_disable_lookaside(connection)
        sqlite3_progress_handler(connection, step, sqlite_bounds_progress, nil)
        sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, Int32(longestValue))
        // SQLite recurses for each operand of an operand.
        sqlite3_limit(connection, SQLITE_LIMIT_EXPR_DEPTH, 200)
        sqlite3_limit(connection, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 64)
        sqlite_bound_functions(connection)
        // Virtual tables run code that nothing interrupts.
        sqlite3_drop_modules(connection, nil)
    }
}
