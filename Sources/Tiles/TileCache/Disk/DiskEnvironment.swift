import GRDB
import Runtime

/// What a store asks of the world around its database; tests put something else here.
struct DiskEnvironment: Sendable {
    /// Seconds since 1970.
    var now: @Sendable () -> Int
    var report: @Sendable (DiskEvent) -> Void
    /// Counts what is kept in memory; nil: nothing does.
    var budget: MemoryBudget?
    /// Bytes that the file system has left.
    var freeBytes: @Sendable (DiskFile) -> Int? = { $0.freeBytes }
    /// Called before each read of the database; takes as long as that is to take.
    var willRead: @Sendable () -> Void = {}
    /// Called before the database is opened; throws where it is to fail.
    var willOpen: @Sendable () throws -> Void = {}
    /// Called within each transaction that writes tiles; throws where that is to fail.
    var willWrite: @Sendable (Database) throws -> Void = { _ in }
    /// Called within each transaction and before the log is emptied; throws where that is to fail.
    var willUseSpace: @Sendable () throws -> Void = {}
    /// Asked before the reserve's record is written; false where that is to fail.
    var mayRecord: @Sendable () -> Bool = { true }
    var migrations = DiskSchema.migrations
    /// The present second by the wall clock as it was at second `born`, before it was set.
    var nowBy: @Sendable (_ born: Int) -> Int = { $0 }
}
