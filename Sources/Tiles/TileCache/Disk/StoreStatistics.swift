/// A store's tiles of a layer, and their use since the process began.
package struct StoreStatistics: Sendable, Equatable {
    package var usage = StoreUsage()
    package var hits = 0
    package var misses = 0
    /// Tiles that made room for others.
    package var evictions = 0
    /// Tiles that were not taken.
    package var skipped = 0

    package init() {}
}

/// A whole store, since the process began.
package struct StoreTotals: Sendable, Equatable {
    /// The sum of all layers, those that are not configured any more included.
    package var all = StoreStatistics()
    /// Bytes of all the database's files.
    package var fileBytes = 0
    /// Bytes of tiles that wait for being written.
    package var pendingBytes = 0
    /// Tiles are written.
    package var isWriting = true

    package init() {}
}
