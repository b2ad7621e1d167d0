/// What a `DiskStore` may use, and how it works.
package struct DiskLimits: Sendable {
    /// Bytes that the database may take in all its files.
    package var maxBytes: Int
    /// Nothing is stored while the file system has fewer free bytes than this.
    package var minFree: Int

    /// Tiles that are written in one transaction, at most.
    package var batchCount = 256
    /// Bytes that are written in one transaction, at most, but for a single tile that is larger.
    package var batchBytes = 2 << 20
    /// Seconds that a tile waits for others to be written with.
    package var batchDelay = 0.2
    /// Bytes of tiles that wait for being written; beyond it no tile is taken.
    package var pendingBytes = 16 << 20
    /// Bytes of pages that the connection that writes keeps in memory.
    package var writerCacheBytes = 16 << 20
    /// Bytes of pages that each connection that reads keeps in memory.
    package var readerCacheBytes = 1 << 20
    /// Seconds between two attempts to write after a failure, and between two checks of the free space.
    package var retryInterval = 2.0
    /// Seconds that must have passed since a database was set aside for another one to be.
    package var replacementInterval = 60.0
    /// Seconds by which a tile's stored time of access may be behind.
    package var accessGranularity = 60
    /// Seconds between two questions to memory what was used, while no tile must be evicted.
    package var useInterval = 600.0
    /// Tiles used in memory that one question brings, at most.
    package var useCount = 16_384
    /// Access times that are written in one transaction, at most.
    package var touchCount = 1_024
    /// Tiles that one step of work in the background reads.
    package var stepCount = 256
    /// Pages that are given back to the file system at once where each of them must be looked for.
    package var vacuumCount = 64
    /// Seconds that a purge works before it answers; the rest is done in the background.
    package var purgeTime = 0.3
    /// Seconds after which a clear or a purge answers that it is in force, but not yet written.
    package var answerTimeout = 0.9
    /// Seconds after which a read answers that there is nothing.
    package var readTimeout = 0.5
    /// Seconds that the opening of a store waits for another server to release the database.
    package var lockTimeout = 5.0
    /// Tiles that are read at once.
    package var readers = 4
    /// Reads that wait for their turn, at most.
    package var readQueue = 1_024

    package init(maxBytes: Int, minFree: Int) {
        self.maxBytes = maxBytes
        self.minFree = minFree
    }

    /// Takes no more than a part of `memory`, in bytes, for what is kept in memory: a quarter of what is not little.
    package mutating func fit(into memory: Int) {
        pendingBytes = min(pendingBytes, memory / 8)
        writerCacheBytes = min(writerCacheBytes, max(memory / 16, 1 << 20))
        readerCacheBytes = min(readerCacheBytes, max(memory / 64 / max(readers, 1), 128 << 10))
    }

    /// Bytes of pages that all connections keep in memory.
    var cacheBytes: Int { writerCacheBytes + readers * readerCacheBytes }
}
