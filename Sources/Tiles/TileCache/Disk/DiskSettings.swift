import Keys

/// The `cache.disk` section: one file of tiles, and how much of the disk it may take. Beside its keys, how a `DiskStore` works.
public struct DiskSettings: Sendable, Equatable {
    /// The database's file, absolute or relative to the working directory; in a file, to the file's own. Nil: `cache.sqlite` in
    /// the cache's directory.
    public var path: String?
    /// The most bytes that the file and its log take together; 1 MiB…1 PiB.
    public var maxBytes = 10 << 30
    /// The bytes of its file system that the cache leaves to others: with less than that free it stores nothing; 0…1 PiB.
    public var minFree = 512 << 20

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

    /// The name of the file where `path` is nil.
    package static let fileName = "cache.sqlite"

    /// The defaults.
    public init() {}

    /// The database's file, where the cache's directory is `directory`.
    package func path(in directory: String) -> String { path ?? "\(directory)/\(Self.fileName)" }

    /// Takes no more than a part of `memory`, in bytes, for what is kept in memory: a quarter of what is not little.
    package mutating func fit(into memory: Int) {
        pendingBytes = min(pendingBytes, memory / 8)
        writerCacheBytes = min(writerCacheBytes, max(memory / 16, 1 << 20))
        readerCacheBytes = min(readerCacheBytes, max(memory / 64 / max(readers, 1), 128 << 10))
    }

    /// Bytes of pages that all connections keep in memory.
    var cacheBytes: Int { writerCacheBytes + readers * readerCacheBytes }
}

extension DiskSettings: KeyedSettings {
    package static let keys: [Key<DiskSettings>] = [
        Key(
            "path", optional: \.path, .filledText("a file"), takesNull: true,
            "SQLite file of this server; unset: `cache.sqlite` in `cache.directory`"
        ).locating(\.path),
        Key(
            "maxBytes", \.maxBytes, .size(1 << 20...1 << 50),
            "maximum size of the file with its log and reserve. Least recently used tiles are evicted; hits "
                + "in memory count as use"),
        Key(
            "minFree", \.minFree, .size(0...1 << 50),
            "minimum free space on the file system; below it no tile is stored"),
    ]
}
