/// What a store has of a layer, and how it was used since the process began.
public struct StoreStatistics: Sendable, Equatable {
    public var usage = StoreUsage()
    public var hits = 0
    public var misses = 0
    /// Tiles that made room for others.
    public var evictions = 0
    /// Tiles that were not taken.
    public var skipped = 0

    public init() {}
}

/// A whole store, since the process began.
public struct StoreTotals: Sendable, Equatable {
    /// The sum of all layers, those that are not configured any more included.
    public var all = StoreStatistics()
    /// Bytes of all the database's files.
    public var fileBytes = 0
    /// Bytes of tiles that wait for being written.
    public var pendingBytes = 0
    /// Tiles are written.
    public var isWriting = true

    public init() {}
}
