import Keys

/// The `cache.disk` section of the settings: the path of the database and its limits. Properties that are not in the
/// settings file control details of a `DiskStore`.
public struct DiskSettings: Sendable, Equatable {
    /// Path of the database. A relative path starts at the working directory, or in a configuration file at the
    /// directory of that file. Nil: `cache.sqlite` in the cache's directory.
    public var path: String?
    /// Maximum bytes of the file, its log and its reserve together. 1 MiB…1 PiB.
    public var maxBytes = 10 << 30
    /// Free bytes that the cache leaves on its file system. With fewer free bytes it stores no tiles. 0…1 PiB.
    public var minFree = 512 << 20

    /// Maximum tiles in one batch, a transaction that writes new tiles.
    package var batchCount = 256
    /// Maximum bytes of the tiles in one batch, with their overhead in memory. A single larger tile is allowed.
    package var batchBytes = 2 << 20
    /// Maximum seconds that a tile waits for other tiles of the same batch. A full batch is written at once.
    package var batchDelay = 0.2
    /// Maximum bytes of pending tiles. Beyond this no tile is accepted.
    package var pendingBytes = 16 << 20
    /// Memory for pages of the connection that writes, in bytes.
    package var writerCacheBytes = 16 << 20
    /// Memory for pages of each connection that reads, in bytes.
    package var readerCacheBytes = 1 << 20
    /// Seconds between two attempts to write after a failure, and between two regular checks of the free space. Each
    /// batch checks the free space too.
    package var retryInterval = 2.0
    /// Minimum seconds between two times that a database is set aside.
    package var replacementInterval = 60.0
    /// Minimum seconds between two stored access times of a tile. A stored time is normally not replaced before that.
    package var accessGranularity = 60
    /// Seconds between two requests to memory for its used tiles, while no tile must be evicted.
    package var useInterval = 600.0
    /// Approximate maximum of used tiles in the answer to such a request.
    package var useCount = 16_384
    /// Maximum number of access times, or of discarded tiles, in one transaction.
    package var touchCount = 1_024
    /// Approximate maximum of tiles that one step of background work reads.
    package var stepCount = 256
    /// Maximum number of pages that are returned to the file system in one step if each must be searched.
    package var vacuumCount = 64
    /// Maximum time of such a step in seconds. A longer step halves the number of pages of the next one.
    package var vacuumStep = 0.05
    /// Time between two such steps, as a multiple of the time of a step.
    package var vacuumPause = 4.0
    /// Seconds after which the rest of a purge runs in the background.
    package var purgeTime = 0.3
    /// Seconds after which the call of a clear or purge returns, even if the change is not durable yet.
    package var answerTimeout = 0.9
    /// Timeout of a read in seconds. A read that times out finds no tile.
    package var readTimeout = 0.5
    /// Seconds that opening a store waits for another server to release the database.
    package var lockTimeout = 5.0
    /// Maximum number of tiles that are read at the same time.
    package var readers = 4
    /// Maximum number of reads in the queue.
    package var readQueue = 1_024

    /// The file name if `path` is nil.
    package static let fileName = "cache.sqlite"

    /// Makes settings with the default values.
    public init() {}

    /// Returns the path of the database if the cache's directory is `directory`.
    package func path(in directory: String) -> String { path ?? "\(directory)/\(Self.fileName)" }

    /// Limits the store's memory to a part of `memory`, in bytes: about a fifth, unless `memory` is small.
    package mutating func fit(into memory: Int) {
        pendingBytes = min(pendingBytes, memory / 8)
        writerCacheBytes = min(writerCacheBytes, max(memory / 16, 1 << 20))
        readerCacheBytes = min(readerCacheBytes, max(memory / 64 / max(readers, 1), 128 << 10))
    }

    /// Memory for the pages of all connections, in bytes.
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
            "maximum size of the file with its log and reserve; the least recently used tiles are evicted, "
                + "memory hits included"),
        Key(
            "minFree", \.minFree, .size(0...1 << 50),
            "minimum free space on the file system; below it no tile is stored"),
    ]
}
