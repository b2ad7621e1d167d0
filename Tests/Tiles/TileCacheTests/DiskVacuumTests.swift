import GRDB
import Synchronization
import TestSupport
import Testing

@testable import TileCache

/// Tests for how the store gives free pages back to the file system.
struct DiskVacuumTests {
    private let setting: DiskSetting

    init() throws {
        setting = try DiskSetting()
    }

    /// Returns the value of `PRAGMA auto_vacuum`. Mode 1 frees all free pages at each commit. Mode 2 frees pages only
    /// on request.
    private static func mode(of store: DiskStore) async throws -> Int? {
        try await store.writer.run { writer in
            Result {
                try writer.connection.pool?.writeWithoutTransaction { db in
                    try Int.fetchOne(db, sql: "PRAGMA auto_vacuum")
                }
            }
        }.get()
    }

    @Test func returnsToRequestedVacuumAfterFailure() async throws {
        let store = try setting.open(.test { $0.retryInterval = 60 })
        await store.settle()
        let setting = setting
        await store.writer.run { writer in
            writer.emptyLog(over: 0)
            setting.isFull.withLock { $0 = { true } }
            writer.isVacuuming = true
            writer.giveBack(isQuick: false)
        }
        #expect(!store.totals().isWriting)
        #expect(try await Self.mode(of: store) == 2)
    }

    @Test func returnsToRequestedVacuumAfterKill() async throws {
        await setting.fill(try setting.open())
        #expect(try setting.edit("PRAGMA auto_vacuum = FULL; PRAGMA auto_vacuum") == [1])
        #expect(try setting.edit("PRAGMA auto_vacuum") == [1])
        let store = try setting.open()
        #expect(try await Self.mode(of: store) == 2)
        await store.close()
        #expect(try setting.edit("PRAGMA auto_vacuum") == [2])
    }

    /// The pages to move are too many for one commit. The regular check of the free space is too rare here to help.
    @Test func givesBackManyPagesInManySteps() async throws {
        try await fill()
        let smaller = try setting.open(.test { ($0.maxBytes, $0.retryInterval) = (4 << 20, 3_600) })
        let setting = setting
        await expectEventually("the file stays larger than the limit") {
            setting.size(of: "tiles.sqlite") <= 4 << 20
        }
        #expect(smaller.totals().all.usage.entries > 100)
        await smaller.close()
        let summary = try DiskCheck(path: setting.path, layers: nil, report: { Issue.record("\($0)") }).run()
        #expect(summary.faults == 0)
    }

    /// The counts are those of a file of 30 GB after a clear: the pages in use are nearly all of the pointer map.
    @Test func countsNoPagesOfThePointerMapAsHeld() {
        let counts = PageCounts(all: 7_465_915, free: 7_456_798)
        #expect(counts.used == 9_117 && counts.held == 13)
        #expect(PageCounts(all: 12, free: 0).held == 12 && PageCounts(all: 820, free: 819).held == 0)
    }

    /// If SQLite moved the few used pages itself, it would write most free pages to the log. The open read keeps the
    /// log from being emptied.
    @Test func writesOnlyHeldPagesToTheLog() async throws {
        try await fill()
        // SQLite must not hold the free pages in memory until the end of the transaction.
        let store = try setting.open(.test { ($0.retryInterval, $0.writerCacheBytes) = (3_600, 64 << 10) })
        await store.settle()
        let path = setting.path
        let (held, log, size) = try await store.writer.run { writer in
            Result {
                _ = writer.transaction { db in
                    // SQLite would have to move the pages of an image at the end of the file.
                    try db.execute(
                        sql: """
                            INSERT INTO body (id, bytes) VALUES (1000000, zeroblob(20000));
                            DELETE FROM tile; DELETE FROM content; DELETE FROM body WHERE id < 1000000
                            """)
                }
                writer.emptyLog(over: 0)
                let reader = try DatabaseQueue(path: path)
                return try reader.inDatabase { db in
                    try db.execute(sql: "BEGIN; SELECT count(*) FROM layer")
                    let held = writer.pages.held
                    writer.giveBack(isQuick: true)
                    defer { try? db.execute(sql: "COMMIT") }
                    return (held, writer.connection.file.logBytes, writer.pages.all)
                }
            }
        }.get()
        #expect(held < 20 && size < 40 && log < 100 * DiskSchema.pageSize, "\(held) held, \(log) bytes, \(size) pages")
        #expect(try await Self.mode(of: store) == 2)
        #expect(store.keep(TileRecord(size: 4_000, number: 1), for: StoreKey(11, 1, 0)))
        await store.close()
        #expect(try setting.edit("PRAGMA application_id") == [Int64(DiskSchema.application)])
        #expect(setting.size(of: "tiles.sqlite") < 40 * DiskSchema.pageSize)
    }

    /// Here the pause after a slow step is endless. Without it, each regular check would add a step.
    @Test func pausesAfterASlowStepAlsoAtRegularChecks() async throws {
        try await fill()
        let store = try setting.open(
            .test { ($0.maxBytes, $0.vacuumPause, $0.vacuumCount, $0.useInterval) = (4 << 20, 1e9, 1, 0) })
        await expectEventually("no slow step was done") {
            await store.writer.run { $0.slowPages < .max && $0.isGivingBackDue && $0.trimmed == nil }
        }
        let checks = Mutex(0)
        store.observeUse { _ in
            checks.withLock { $0 += 1 }
            return []
        }
        let before = await store.writer.run { $0.pages.all }
        await expectEventually("no check was done") { checks.withLock { $0 > 3 } }
        #expect(await store.writer.run { $0.pages.all } == before)
        await store.close()
    }

    /// Without room for new pages, the writes of a store with a new, smaller limit would fail before its trim.
    @Test func leavesRoomInFileThatIsLargerThanItsLimit() async throws {
        try await fill()
        let limits = DiskSettings.test { ($0.maxBytes, $0.retryInterval, $0.vacuumPause) = (4 << 20, 3_600, 1e9) }
        let store = try setting.open(limits)
        let room = try await store.writer.run { writer in
            Result {
                try writer.connection.pool?.writeWithoutTransaction { db in
                    let most = try Int.fetchOne(db, sql: "PRAGMA max_page_count") ?? 0
                    return try most - (Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0)
                }
            }
        }.get()
        #expect(try #require(room) >= (4 << 20) / 32 / DiskSchema.pageSize)
        await store.close()
    }

    /// Fills a database with 2,000 tiles of 4,000 bytes.
    private func fill() async throws {
        let store = try setting.open()
        _ = store.generation(of: "sea", startingAt: 1)
        for x in 0..<2_000 {
            _ = store.keep(TileRecord(size: 4_000, number: x), for: StoreKey(11, x, 0))
            if x % 500 == 499 { await store.flush() }
        }
        await store.close()
        #expect(setting.size(of: "tiles.sqlite") > 8 << 20)
    }
}
