/// Divides the byte limit of the disk store into three parts: the database, SQLite's log with its index, and the
/// reserve (see `DiskReserve`).
struct DiskBudget: Sendable {
    /// Maximum bytes of the log. Only a durable transaction, such as that of a clear, may exceed it.
    let logBytes: Int
    /// Bytes of the reserve besides its record.
    let reserveBytes: Int
    /// Pages of the database itself.
    let pages: Int

    /// Divides the bytes. Fewer than 512 KiB count as 512 KiB, because the tables need that much.
    init(_ limits: DiskSettings) {
        let maxBytes = max(limits.maxBytes, 512 << 10)
        logBytes = min(max(maxBytes / 8, 128 << 10), 32 << 20)
        // The index of the log takes 32 KiB for each 4,096 pages of the log. This allows four times as much.
        let index = 32 << 10 + logBytes / 128
        // Enough to copy a log that holds one batch, and to remove the first tiles.
        reserveBytes = min(max(maxBytes / 16, 64 << 10), 8 << 20)
        pages = (maxBytes - logBytes - index - reserveBytes - DiskReserve.recordBytes) / DiskSchema.pageSize
    }

    /// Maximum tiles in one transaction, so that it takes at most half of the log, but at least eight. For each tile,
    /// the row, the access time, the hash and the image may all lie in different pages.
    var tiles: Int { max(logBytes / 2 / (4 * Self.frameBytes), 8) }

    /// Maximum pages that one transaction may move.
    var movedPages: Int { logBytes / 8 / Self.frameBytes }

    /// Maximum pages in use of a database that is written anew. The log and the memory hold each of these pages once.
    var rewrittenPages: Int { stepLogBytes / Self.frameBytes }

    /// Maximum log bytes of a transaction that is neither a batch nor durable.
    var stepLogBytes: Int { logBytes / 2 }

    /// Maximum log bytes of a batch with `tiles` tiles of `bytes` bytes in total. An empty log has room for each batch.
    func logBytes(bytes: Int, tiles: Int) -> Int {
        min((tiles * 4 + bytes / (DiskSchema.pageSize - 4) + 1) * Self.frameBytes, logBytes)
    }

    /// Maximum bytes of a stored image. The log must hold the image, and making room for it must not remove most other
    /// tiles.
    var largestImage: Int { min(pages * DiskSchema.pageSize / 4, logBytes * 3 / 4) }

    /// Bytes of a page in the log.
    private static let frameBytes = DiskSchema.pageSize + 24

    /// Number of used pages that a trim aims at.
    var trimmedPages: Int { pages / 10 * 9 }

    /// Approximate maximum pages for a batch with `tiles` tiles of `bytes` bytes in total.
    static func pages(bytes: Int, tiles: Int) -> Int {
        bytes / (DiskSchema.pageSize - 4) + tiles / 4 + 16
    }
}

/// Numbers of pages in the database's file.
struct PageCounts: Sendable {
    var all = 0
    var free = 0

    var used: Int { all - free }

    /// Number of pages that hold rows and images. The other used pages are SQLite's pointer map: one page describes the
    /// next 819 pages of the file, also free ones, and disappears with them.
    var held: Int { max(used - all / (DiskSchema.pageSize / 5 + 1), 0) }
}
