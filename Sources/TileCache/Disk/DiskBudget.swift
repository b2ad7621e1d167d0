/// How the store's bytes are divided between the database and its log.
struct DiskBudget: Sendable {
    /// Beyond it the log is emptied before anything else is written.
    let logBytes: Int
    /// The pages of the database itself.
    let pages: Int

    /// Bytes that hold less than the tables need count as enough for them.
    init(_ limits: DiskLimits) {
        let maxBytes = max(limits.maxBytes, 512 << 10)
        logBytes = min(max(maxBytes / 8, 128 << 10), 32 << 20)
        // The index of the log takes 32 KiB for each 4,096 of its pages.
        let index = 32 << 10 + logBytes / 128
        pages = (maxBytes - logBytes - index) / DiskSchema.pageSize
    }

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
