/// The stored tiles of a layer, and their use since the process began.
package struct StoreStatistics: Sendable, Equatable {
    package var usage = StoreUsage()
    package var hits = 0
    package var misses = 0
    /// Tiles that were removed to make room for others.
    package var evictions = 0
    /// Tiles that the store refused or could not write.
    package var skipped = 0

    package init() {}
}

/// Statistics of the whole store, counted since the start of the process.
package struct StoreTotals: Sendable, Equatable {
    /// The sum of all layers, including layers that are no longer configured.
    package var all = StoreStatistics()
    /// Bytes of all files of the database.
    package var fileBytes = 0
    /// Bytes of the pending tiles.
    package var pendingBytes = 0
    /// True if tiles can be written.
    package var isWriting = true

    package init() {}
}
