import GRDB
import Runtime

/// The services that a store needs besides its database, for example a clock. Tests replace them with their own.
struct DiskEnvironment: Sendable {
    /// The present time in seconds since 1970.
    var now: @Sendable () -> Int
    var report: @Sendable (DiskEvent) -> Void
    /// Counts the memory of the store. Nil if it is not counted.
    var budget: MemoryBudget?
    /// Returns the free bytes of the file system.
    var freeBytes: @Sendable (DiskFile) -> Int? = { $0.freeBytes }
    /// Called before each read of a tile from the database. Tests use it to delay the read.
    var willRead: @Sendable () -> Void = {}
    /// Called before the database is opened. Throws to make that fail.
    var willOpen: @Sendable () throws -> Void = {}
    /// Called within each transaction that writes a batch of tiles or tests the disk. Throws to make the transaction
    /// fail.
    var willWrite: @Sendable (Database) throws -> Void = { _ in }
    /// Called within each transaction, and before the log is emptied. Throws to make that fail.
    var willUseSpace: @Sendable () throws -> Void = {}
    /// Called before the reserve's record is written. Returns false to make that fail.
    var mayRecord: @Sendable () -> Bool = { true }
    var migrations = DiskSchema.migrations
    /// Returns the present second by the clock setting that was valid at second `born`.
    var nowBy: @Sendable (_ born: Int) -> Int = { $0 }
}
