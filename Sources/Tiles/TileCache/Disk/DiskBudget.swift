/// How the store's bytes are divided between the database and its log.
struct DiskBudget: Sendable {
    /// Beyond it the log is emptied before anything else is written.
    let logBytes: Int
    /// What the reserve keeps beside its record.
    let reserveBytes: Int
    /// The pages of the database itself.
    let pages: Int

    /// Bytes that hold less than the tables need count as enough for them.
    init(_ limits: DiskSettings) {
        let maxBytes = max(limits.maxBytes, 512 << 10)
        logBytes = min(max(maxBytes / 8, 128 << 10), 32 << 20)
        // The index of the log takes 32 KiB for each 4,096 of its pages.
        let index = 32 << 10 + logBytes / 128
        // Enough to copy a log that has a batch, and to remove the first tiles.
        reserveBytes = min(max(maxBytes / 16, 64 << 10), 8 << 20)
        pages = (maxBytes - logBytes - index - reserveBytes - DiskReserve.recordBytes) / DiskSchema.pageSize
    }

    /// Tiles that one transaction may write, remove or touch, so that it takes no more than half of the log, wherever they
    /// are: the row of each, its access time, the hash and the image lie in pages of their own.
    var tiles: Int { max(logBytes / 2 / (4 * Self.frameBytes), 8) }

    /// Pages that one transaction may move.
    var movedPages: Int { logBytes / 8 / Self.frameBytes }

    /// Bytes of the log that any transaction but a batch takes at most.
    var stepLogBytes: Int { logBytes / 2 }

    /// Bytes of the log that a batch of so many tiles with so many bytes takes at most. An empty log has room for any.
    func logBytes(bytes: Int, tiles: Int) -> Int {
        min((tiles * 4 + bytes / (DiskSchema.pageSize - 4) + 1) * Self.frameBytes, logBytes)
    }

    /// Bytes of the largest image that is kept: the log must hold it, and room for it must not cost most of the others.
    var largestImage: Int { min(pages * DiskSchema.pageSize / 4, logBytes * 3 / 4) }

    /// A page in the log.
    private static let frameBytes = DiskSchema.pageSize + 24

    /// The pages that are used after a trim.
    var trimmedPages: Int { pages / 10 * 9 }

    /// The pages that a batch of so many tiles with so many bytes takes at most, roughly.
    static func pages(bytes: Int, tiles: Int) -> Int {
        bytes / (DiskSchema.pageSize - 4) + tiles / 4 + 16
    }
}

/// How much of the database's file is in use.
struct PageCounts: Sendable {
    var all = 0
    var free = 0

    var used: Int { all - free }
}
