import CSQLite
import Runtime

/// Limits the time and the memory of one read of an MBTiles file. The file can contain SQL views, which are small
/// programs of its author. A view might never end, make values of any size, or take very long to compile.
enum MBTilesBudget {
    /// Maximum bytes of a value and of a row in SQLite: a tile, and room for the row around it.
    static let longestValue = MBTilesLayer.largestTile + 65_536
    /// Maximum bytes that SQLite uses for one read. All reads together may use this many bytes plus 8 MiB each. A tile
    /// never needs that much.
    static let mostMemory = 64 << 20
    /// Maximum bytes that a connection keeps for its schema and pages right after it was opened. These bytes are not
    /// counted elsewhere.
    static let mostKept = 4 << 20
    /// Number of instructions of SQLite's virtual machine between two checks. An instruction usually takes about 20 ns,
    /// but may make a long value.
    private static let step: Int32 = 20

    /// Returns the result of `body`. Ends its use of SQLite on this thread after `seconds`. Throws a `SQLiteError`, or
    /// the fault for which `body` was ended.
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

    /// Makes reads of `connection` obey the budget of the reading thread.
    static func install(in connection: OpaquePointer) {
        sqlite_disable_lookaside(connection)
        sqlite3_progress_handler(connection, step, sqlite_bounds_progress, nil)
        sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, Int32(longestValue))
        // SQLite recurses into nested operands.
        sqlite3_limit(connection, SQLITE_LIMIT_EXPR_DEPTH, 200)
        sqlite3_limit(connection, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 64)
        sqlite_bound_functions(connection)
        // Virtual tables may run code that cannot be interrupted.
        sqlite3_drop_modules(connection, nil)
    }
}
