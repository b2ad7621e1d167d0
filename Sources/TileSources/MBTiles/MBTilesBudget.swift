import GRDB
import GRDBSQLite
import Reactor
import Synchronization

/// Bounds the time and memory of one read of an MBTiles file. A view is a program by the file's author: it may never end, or make
/// values of any size.
///
/// A class that SQLite's progress handler points to. Thread rule: any thread; one read at a time.
final class MBTilesBudget: Sendable {
    /// Why a read was ended.
    enum Excess: Sendable {
        case time, memory
    }

    /// The longest value and row that SQLite makes, in bytes: a tile, and room for the row around it.
    static let longestValue = MBTilesLayer.largestTile + 65_536
    /// Bytes that SQLite takes beyond what it had at the start of the read, for all connections of the process.
    static let mostMemory = 64 << 20
    /// Instructions of SQLite's machine between two checks: one takes 20 ns, or makes one value.
    private static let step: Int32 = 100

    private let end = Atomic(Int.max)
    private let memory = Atomic(Int64.max)
    /// 0: none; 1: time; 2: memory.
    private let excess = Atomic(0)

    /// Has the reads of `database` keep to this budget, which must live as long as the connection.
    func install(in database: Database) throws {
        guard let connection = database.sqliteConnection else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
        sqlite3_progress_handler(
            connection, Self.step,
            { context in
                guard let context else { return 0 }
                return Unmanaged<MBTilesBudget>.fromOpaque(context).takeUnretainedValue().isOver() ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
        sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, Int32(Self.longestValue))
        // One instruction is not interrupted: those that take the product of two lengths are kept short, or left out.
        sqlite3_limit(connection, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 64)
        for (name, count) in [("instr", 2), ("replace", 3), ("trim", 2), ("ltrim", 2), ("rtrim", 2), ("unhex", 2)] {
            // A function of the program's own that is not marked as harmless may not be called by a view.
            database.add(function: DatabaseFunction(name, argumentCount: count, pure: true) { _ in nil })
        }
    }

    /// Begins a read that may take `seconds`.
    func begin(seconds: Double) {
        excess.store(0, ordering: .relaxed)
        memory.store(sqlite3_memory_used() + Int64(Self.mostMemory), ordering: .relaxed)
        end.store(MonotonicTime.now().adding(seconds: seconds).nanoseconds, ordering: .relaxed)
    }

    /// Why the read that began last was ended; nil where it was not.
    var ended: Excess? {
        switch excess.load(ordering: .relaxed) {
        case 1: .time
        case 2: .memory
        default: nil
        }
    }

    private func isOver() -> Bool {
        if MonotonicTime.now().nanoseconds > end.load(ordering: .relaxed) {
            excess.store(1, ordering: .relaxed)
        } else if sqlite3_memory_used() > memory.load(ordering: .relaxed) {
            excess.store(2, ordering: .relaxed)
        }
        return excess.load(ordering: .relaxed) != 0
    }
}
