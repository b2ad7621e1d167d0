import Foundation
import GRDB
import MapGeometry
import Synchronization
import TestSupport
import Testing

@testable import TileCache

/// Tests for the store's size limit and the order of eviction.
struct DiskQuotaTests {
    private let setting: DiskSetting

    init() throws {
        setting = try DiskSetting()
    }

    /// Stores a tile as soon as the store has room for another unwritten tile.
    private func keep(_ record: TileRecord, for key: StoreKey, in store: DiskStore) async {
        await expectEventually("the store has no room for another unwritten tile") {
            if store.keep(record, for: key) { return true }
            await store.flush()
            return false
        }
    }

    @Test(arguments: [(10_000, 200, 2 << 20), (1_500, 5_000, 3 << 20), (60, 200_000, 4 << 20)])
    func exceedsSizeLimitByOneBatchAtMost(count: Int, size: Int, maxBytes: Int) async throws {
        let limits = DiskSettings.test {
            $0.maxBytes = maxBytes
            $0.minFree = 0
        }
        let store = try setting.open(limits)
        let batch = max(maxBytes / 32, size) * 2
        var largest = 0
        for number in 0..<count {
            let key = StoreKey(14, number, 0)
            await keep(TileRecord(size: size, number: number), for: key, in: store)
            if number % (count / 50) == 0 { largest = max(largest, onDisk) }
        }
        await store.settle()
        largest = max(largest, onDisk)
        #expect(largest <= maxBytes + batch)
        let totals = store.totals()
        #expect(totals.all.evictions > 0)
        #expect(totals.all.evictions + totals.all.usage.entries == count)
        #expect(totals.all.usage.bytes == totals.all.usage.entries * size)
        // Rows need space too, so small tiles use less of the limit.
        if size > 1_000 { #expect(totals.all.usage.bytes > maxBytes / 2) }
        // The newest tiles are all present.
        for number in (count - 5)..<count { #expect(await store.record(for: StoreKey(14, number, 0)) != nil) }
        let setting = setting
        #expect(setting.eventsSoFar.contains { if case .trimmed = $0 { true } else { false } })
        await store.close()
        #expect(try setting.edit("SELECT count(*) FROM tile") == [Int64(totals.all.usage.entries)])
        #expect(try setting.edit("SELECT sum(uses) FROM content") == [Int64(totals.all.usage.entries)])
        #expect(try setting.edit("SELECT entries FROM space") == [Int64(totals.all.usage.entries)])
        #expect(try setting.edit("SELECT bytes FROM space") == [Int64(totals.all.usage.bytes)])
    }

    /// Small tiles in random places touch the most pages. A reader prevents the store from emptying the log.
    @Test(arguments: [(16_000, 300, 4 << 20), (2_000, 8_000, 8 << 20), (40, 600_000, 8 << 20)])
    func countsLogWhileWriting(count: Int, size: Int, maxBytes: Int) async throws {
        let store = try setting.open(.test { $0.maxBytes = maxBytes })
        func key(_ number: Int) -> StoreKey { StoreKey(14, number &* 7_919 & 16_383, number &* 6_007 & 16_383) }
        let setting = setting
        // The test records the maximum size of each file separately. The sum of these maximums is an upper bound for
        // the total size at any moment. Sizes that are read at different moments cannot be added.
        let largest = Mutex<[String: Int]>([:])
        let watching = Task.detached {
            while !Task.isCancelled {
                for suffix in ["", "-wal", "-shm", ".reserve"] {
                    let bytes = setting.size(of: "tiles.sqlite" + suffix)
                    largest.withLock { $0[suffix] = max($0[suffix] ?? 0, bytes) }
                }
                await Task.yield()
            }
        }
        let reading = Task.detached {
            while !Task.isCancelled { _ = await store.record(for: key(Int.random(in: 0..<count))) }
        }
        for number in 0..<count {
            await keep(TileRecord(size: size, number: number), for: key(number), in: store)
        }
        await store.settle()
        for task in [watching, reading] {
            task.cancel()
            await task.value
        }
        // The test stores more tiles than fit, so some tiles must be gone.
        #expect(store.totals().all.usage.entries < count, "\(store.totals().all), \(setting.eventsSoFar)")
        let most = maxBytes + max(maxBytes / 32, size)
        let sizes = largest.withLock { $0 }
        #expect(sizes.values.reduce(0, +) <= most, "\(sizes)")
    }

    /// During a long read, the log grows up to its share of the limit. Tiles that do not fit into the log wait.
    @Test(arguments: [(300, 4 << 20), (8_000, 8 << 20), (600_000, 8 << 20)])
    func keepsLogWithinItsShare(size: Int, maxBytes: Int) async throws {
        let limits = DiskSettings.test { $0.maxBytes = maxBytes }
        let store = try setting.open(limits)
        #expect(store.keep(TileRecord("old"), for: StoreKey(3, 0, 0)))
        await store.flush()
        let held = try LongReader(path: setting.path)
        var keys: [StoreKey] = []
        let setting = setting
        for number in 0..<5_000 {
            let key = StoreKey(14, number &* 7_919 & 16_383, number &* 6_007 & 16_383)
            if store.keep(TileRecord(size: size, number: number), for: key) { keys.append(key) }
            if number % 50 == 0 || size > 100_000 { await store.flush() }
            if setting.eventsSoFar.contains(.storeSkipped(why: .longReader)) { break }
        }
        #expect(setting.eventsSoFar.contains(.storeSkipped(why: .longReader)))
        #expect(setting.size(of: "tiles.sqlite-wal") <= DiskBudget(limits).logBytes)
        held.end()
        #expect(await eventually { setting.eventsSoFar.contains(.storeResumed) })
        await store.flush()
        // No waiting tile is lost.
        for key in keys { #expect(await store.record(for: key) != nil) }
    }

    @Test(arguments: [60, 1_000_000_000, -1_000_000_000])
    func evictsLeastRecentlyUsedFirstDespiteClockJumps(_ jump: Int) async throws {
        let store = try setting.open(.test { $0.maxBytes = 2 << 20 })
        for x in 0..<100 { _ = store.keep(TileRecord(size: 8_000, number: x), for: StoreKey(14, x, 0)) }
        await store.flush()
        setting.now.withLock { $0 += jump }
        for x in 100..<110 { _ = store.keep(TileRecord(size: 8_000, number: x), for: StoreKey(14, x, 0)) }
        await store.flush()
        setting.now.withLock { $0 += 61 }
        // The ten oldest tiles are used again, by a read or by `touch`.
        for x in 0..<5 { #expect(await store.record(for: StoreKey(14, x, 0)) != nil) }
        for x in 5..<10 { store.touch(StoreKey(14, x, 0)) }
        await store.flush()
        setting.now.withLock { $0 += 61 }
        for x in 110..<240 {
            _ = store.keep(TileRecord(size: 8_000, number: x), for: StoreKey(14, x, 0))
            await store.flush()
        }
        await store.settle()
        for x in 0..<10 { #expect(await store.peek(StoreKey(14, x, 0)) != nil) }
        for x in 10..<15 { #expect(await store.peek(StoreKey(14, x, 0)) == nil) }
        for x in 235..<240 { #expect(await store.peek(StoreKey(14, x, 0)) != nil) }
    }

    @Test func writesAccessTimesOnlyWhenOld() async throws {
        let store = try setting.open()
        let key = StoreKey(3, 0, 0)
        _ = store.keep(TileRecord("waves"), for: key)
        await store.flush()
        for (later, expected) in [(59, 0), (1, 60), (59, 60), (60, 179)] {
            setting.now.withLock { $0 += later }
            #expect(await store.record(for: key) != nil)
            await store.flush()
            #expect(try setting.edit("SELECT accessed FROM tile") == [1_700_000_000 + Int64(expected)])
        }
    }

    @Test func fitsSmallerLimitAfterRestart() async throws {
        let store = try setting.open()
        for x in 0..<1_000 { _ = store.keep(TileRecord(size: 8_000, number: x), for: StoreKey(14, x, 0)) }
        await store.close()
        #expect(onDisk > 7 << 20)
        let again = try setting.open(.test { $0.maxBytes = 2 << 20 })
        await again.settle()
        #expect(onDisk <= 2 << 20)
        #expect(again.totals().all.usage.entries > 100)
        _ = again.keep(TileRecord("new"), for: StoreKey(3, 0, 0))
        await again.flush()
        #expect(await again.record(for: StoreKey(3, 0, 0))?.text == "new")
    }

    @Test func rejectsTileThatCanNeverFit() async throws {
        let store = try setting.open(.test { $0.maxBytes = 1 << 20 })
        _ = store.keep(TileRecord("small"), for: StoreKey(3, 0, 0))
        await store.flush()
        #expect(!store.keep(TileRecord(size: 1 << 20, number: 1), for: StoreKey(3, 1, 0)))
        await store.flush()
        #expect(await store.record(for: StoreKey(3, 0, 0))?.text == "small")
    }

    @Test func keepsLogSmallDuringLongRead() async throws {
        let store = try setting.open(.test { $0.maxBytes = 4 << 20 })
        for x in 0..<20 { _ = store.keep(TileRecord(size: 8_000, number: x), for: StoreKey(14, x, 0)) }
        await store.flush()
        let held = try LongReader(path: setting.path)
        for x in 20..<400 {
            _ = store.keep(TileRecord(size: 8_000, number: x), for: StoreKey(14, x, 0))
            if x % 10 == 0 { await store.flush() }
        }
        await store.flush()
        #expect(onDisk <= (4 << 20) + (1 << 18))
        #expect(setting.eventsSoFar.contains(.storeSkipped(why: .longReader)))
        // Reads still work.
        #expect(await store.record(for: StoreKey(14, 0, 0)) != nil)
        held.end()
        let setting = setting
        #expect(await eventually { store.keep(TileRecord("new"), for: StoreKey(3, 0, 0)) })
        await store.flush()
        #expect(await store.record(for: StoreKey(3, 0, 0))?.text == "new")
        #expect(setting.eventsSoFar.contains(.storeResumed))
    }

    @Test func survivesDatabaseThatCannotGrow() async throws {
        let store = try setting.open()
        _ = store.keep(TileRecord("old"), for: StoreKey(3, 0, 0))
        await store.flush()
        // SQLite itself reports a full disk here.
        await store.writer.run { writer in
            _ = writer.transaction { db in try db.execute(sql: "PRAGMA max_page_count = 1") }
        }
        for x in 0..<100 { _ = store.keep(TileRecord(size: 8_000, number: x), for: StoreKey(14, x, 0)) }
        await store.flush()
        #expect(setting.eventsSoFar == [.writeFailed(code: 13, meaning: ResultCode.SQLITE_FULL.description)])
        #expect(await store.record(for: StoreKey(3, 0, 0))?.text == "old")
        await store.writer.run { writer in
            writer.failure = nil
            _ = writer.transaction { db in try db.execute(sql: "PRAGMA max_page_count = 100000") }
            writer.failure = DiskWriter.Failure(code: 13)
        }
        let setting = setting
        #expect(await eventually { setting.eventsSoFar.contains(.recovered) })
        #expect(store.keep(TileRecord("new"), for: StoreKey(3, 1, 0)))
        await store.flush()
        #expect(await store.record(for: StoreKey(3, 1, 0))?.text == "new")
    }

    /// Size of all files of the store in bytes.
    private var onDisk: Int { DiskFile(path: setting.path).bytes }
}

/// Another program that reads the database for a long time.
///
/// This type is a class because it owns a thread with a transaction.
private final class LongReader: Sendable {
    private let over = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    init(path: String) throws {
        let queue = try DatabaseQueue(path: path)
        let began = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [over, ended] in
            // If the read fails, the log does not grow, and the test fails.
            try? queue.read { db in
                _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM tile")
                began.signal()
                over.wait()
            }
            ended.signal()
        }
        began.wait()
    }

    func end() {
        over.signal()
        ended.wait()
    }
}
