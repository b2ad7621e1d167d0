import Bytes
import Raster
import Tiles
import MapGeometry
import Testing

@testable import TileCache

struct DiskStoreTests {
    private let setting: DiskSetting

    init() throws {
        setting = try DiskSetting()
    }

    @Test func returnsTileBeforeItIsWritten() async throws {
        let store = try setting.open(.test { $0.batchDelay = 60 })
        #expect(store.keep(TileRecord("waves"), for: StoreKey(3, 1, 2)))
        #expect(await store.record(for: StoreKey(3, 1, 2))?.text == "waves")
        #expect(await store.record(for: StoreKey(3, 2, 1)) == nil)
        #expect(store.statistics()["sea"]?.hits == 1)
        #expect(store.statistics()["sea"]?.misses == 1)
    }

    @Test func returnsWholeRecordAfterRestart() async throws {
        let store = try setting.open()
        let record = TileRecord(
            content: TileRecord("waves").content, validators: Validators(etag: "W/\"ä\"", lastModified: "once"),
            born: -5, expires: Int.max, stale: StaleTimes(whileRevalidating: .max, ifError: 3), stated: 9,
            clients: ClientTerms(lifetime: 0, rules: [.mustRevalidate, .withoutStaleIfError]), date: -7)
        #expect(store.keep(record, for: StoreKey(30, 1 << 30 - 1, 0, scale: 4)))
        #expect(store.keep(.nothing, for: StoreKey(0, 0, 0)))
        await store.close()
        let again = try setting.open()
        let found = try #require(await again.record(for: StoreKey(30, 1 << 30 - 1, 0, scale: 4)))
        #expect(found.text == "waves")
        guard case .tile(let tile, let hash) = found.content else { return }
        #expect((tile.format, tile.width, tile.height, tile.lastModified) == (.png, 256, 512, 77))
        #expect(hash == ContentHash(of: tile.bytes))
        #expect(found.validators == record.validators)
        #expect((found.life, found.date) == (record.life, record.date))
        #expect((found.born, found.expires) == (record.born, record.expires))
        guard case .noTile? = await again.record(for: StoreKey(0, 0, 0))?.content else {
            Issue.record("the absence of a tile is not remembered")
            return
        }
    }

    /// Another number would change the format of stored tiles.
    @Test(arguments: [(.png, 0), (.jpeg, 1), (.webp, 2), (.gif, 3)] as [(ImageFormat, Int64)])
    func storesNumberOfFormat(format: ImageFormat, number: Int64) {
        let tile = Tile(bytes: SharedBytes([1]), format: format, width: 1, height: 1)
        let record = TileRecord(
            content: .tile(tile, ContentHash(of: tile.bytes)), validators: nil, born: 1, life: TileLife(lifetime: 1))
        #expect(TileRow(record, epoch: 1, body: 1).image?.format == number)
    }

    /// A database of an older server, which stored no separate terms for clients. Its tiles stay usable, and clients
    /// get the terms that the upstream gave to this cache.
    @Test(arguments: [UInt32?.none, 77]) func opensDatabaseWithoutClientColumns(life: UInt32?) async throws {
        let key = StoreKey(3, 1, 2)
        let first = try setting.open()
        let plain = TileRecord("waves")
        let record = TileRecord(
            content: plain.content, validators: plain.validators, born: 5, expires: 9, stale: .none, stated: life)
        #expect(first.keep(record, for: key))
        await first.close()
        // The checksum does not include the new columns.
        let body = try setting.edit("SELECT body FROM tile")[0]
        var row = TileRow(record, epoch: try setting.edit("SELECT epoch FROM tile")[0], body: body)
        (row.told, row.rules, row.date) = (nil, nil, nil)
        let checksum = try #require(row.values(under: key)[7] as? Int64)
        let drops = ["told", "rules", "date"].map { "ALTER TABLE tile DROP COLUMN \($0);" }.joined()
        try setting.edit("UPDATE tile SET checksum = \(checksum);\(drops)PRAGMA user_version = 1;SELECT 1")
        for _ in 0..<2 {
            let store = try setting.open()
            let found = try #require(await store.record(for: key))
            #expect(
                found.text == "waves" && found.life.stated == life && found.date == nil
                    && found.life.clients.lifetime == life)
            await store.close()
        }
        #expect(setting.eventsSoFar.isEmpty)
    }

    @Test(arguments: [
        StoreKey(3, 1, 2, scale: 2), StoreKey(3, 2, 2), StoreKey(3, 1, 1), StoreKey(4, 1, 2),
        StoreKey(3, 1, 2, of: .land), StoreKey(3, 1, 2, generation: 2),
        StoreKey(3, 1, 2, of: StoreNamespace(layer: "sea", fingerprint: "another")),
    ])
    func separatesTilesByKey(_ other: StoreKey) async throws {
        let store = try setting.open()
        _ = store.keep(TileRecord("one"), for: StoreKey(3, 1, 2))
        await store.flush()
        #expect(await store.record(for: other) == nil)
        _ = store.keep(TileRecord("other"), for: other)
        await store.flush()
        #expect(await store.record(for: StoreKey(3, 1, 2))?.text == "one")
        #expect(await store.record(for: other)?.text == "other")
    }

    @Test func keepsLatestRecord() async throws {
        let store = try setting.open()
        let key = StoreKey(1, 0, 0)
        for text in ["first", "second", "third"] {
            _ = store.keep(TileRecord(text), for: key)
            await store.flush()
            #expect(await store.record(for: key)?.text == text)
        }
        _ = store.keep(.nothing, for: key)
        await store.flush()
        #expect(await store.record(for: key)?.text == nil)
        #expect(store.totals().all.usage == StoreUsage(entries: 1, bytes: 0))
        await store.close()
        #expect(try setting.edit("SELECT count(*) FROM body") == [0])
        #expect(try setting.edit("SELECT count(*) FROM content") == [0])
    }

    @Test func countsEntriesAndBytes() async throws {
        let store = try setting.open()
        for x in 0..<8 { _ = store.keep(TileRecord("tile \(x)"), for: StoreKey(3, x, 0)) }
        _ = store.keep(TileRecord("land"), for: StoreKey(3, 0, 0, of: .land))
        await store.flush()
        let usage = store.statistics().mapValues(\.usage)
        #expect(usage == ["land": StoreUsage(entries: 1, bytes: 4), "sea": StoreUsage(entries: 8, bytes: 48)])
        #expect(store.totals().fileBytes > 0)
        #expect(store.totals().pendingBytes == 0)
        await store.close()
        #expect(try setting.open().totals().all.usage == StoreUsage(entries: 9, bytes: 52))
    }

    // MARK: Clears

    @Test func keepsNoClearedTileAfterRestart() async throws {
        let store = try setting.open(.unhurried)
        #expect(store.generation(of: "sea", startingAt: 1) == 1)
        #expect(store.generation(of: "land", startingAt: 5) == 5)
        _ = store.keep(TileRecord("old"), for: StoreKey(3, 0, 0))
        _ = store.keep(TileRecord("land"), for: StoreKey(3, 0, 0, of: .land, generation: 5))
        await store.flush()
        _ = store.keep(TileRecord("waiting"), for: StoreKey(3, 1, 0))
        let change = await store.clear(.sea, generation: 2)
        #expect(change == StoreChange(usage: StoreUsage(entries: 2, bytes: 10)))
        #expect(await store.record(for: StoreKey(3, 0, 0)) == nil)
        #expect(await store.record(for: StoreKey(3, 1, 0)) == nil)
        #expect(!store.keep(TileRecord("late"), for: StoreKey(3, 0, 0)))
        #expect(store.keep(TileRecord("new"), for: StoreKey(3, 0, 0, generation: 2)))
        await store.close()

        let again = try setting.open()
        #expect(again.generation(of: "sea", startingAt: 99) == 2)
        #expect(again.generation(of: "land", startingAt: 99) == 5)
        #expect(await again.record(for: StoreKey(3, 0, 0)) == nil)
        #expect(await again.record(for: StoreKey(3, 0, 0, generation: 2))?.text == "new")
        #expect(await again.record(for: StoreKey(3, 0, 0, of: .land, generation: 5))?.text == "land")
    }

    @Test(arguments: [(5, 6, 7), (UInt32.max - 1, .max, 0)] as [(UInt32, UInt32, UInt32)])
    func keepsHighestGenerationWhenClearsArriveOutOfOrder(first: UInt32, early: UInt32, late: UInt32) async throws {
        let store = try setting.open(.unhurried)
        #expect(store.generation(of: "sea", startingAt: first) == first)
        _ = await store.clear(.sea, generation: late)
        #expect(store.keep(TileRecord("new"), for: StoreKey(3, 0, 0, generation: late)))
        let change = await store.clear(.sea, generation: early)
        #expect(change == StoreChange(usage: StoreUsage()))
        #expect(store.generation(of: "sea", startingAt: 99) == late)
        #expect(await store.record(for: StoreKey(3, 0, 0, generation: late))?.text == "new")
        await store.close()
        let again = try setting.open()
        #expect(again.generation(of: "sea", startingAt: 99) == late)
        #expect(await again.record(for: StoreKey(3, 0, 0, generation: late))?.text == "new")
    }

    @Test func freesSpaceOfClearedLayerAfterRestart() async throws {
        let limits = DiskSettings.test { $0.stepCount = 16 }
        let store = try setting.open(limits)
        #expect(store.generation(of: "sea", startingAt: 1) == 1)
        for x in 0..<400 { _ = store.keep(TileRecord(size: 8_192, number: x), for: StoreKey(10, x, 0)) }
        await store.flush()
        let full = store.totals().fileBytes
        _ = await store.clear(.sea, generation: 2)
        // The store is closed in the middle of the work.
        await store.close()

        let again = try setting.open(limits)
        await again.settle()
        #expect(again.totals().all.usage == StoreUsage())
        await again.close()
        #expect(again.totals().fileBytes < full)
        let size = try setting.edit("PRAGMA page_count").first ?? 0
        #expect(size < 100)
        #expect(try setting.edit("SELECT count(*) FROM body") == [0])
        #expect(try setting.edit("SELECT count(*) FROM space") == [0])
    }

    @Test func reclaimsUnusedNamespaces() async throws {
        let store = try setting.open()
        _ = store.keep(TileRecord("sea"), for: StoreKey(3, 0, 0))
        _ = store.keep(TileRecord("land"), for: StoreKey(3, 0, 0, of: .land))
        await store.flush()
        store.retain([.land])
        #expect(await store.record(for: StoreKey(3, 0, 0)) == nil)
        #expect(!store.keep(TileRecord("sea"), for: StoreKey(3, 0, 0)))
        await store.settle()
        #expect(store.totals().all.usage.entries == 1)
        #expect(await store.record(for: StoreKey(3, 0, 0, of: .land))?.text == "land")
        store.retain([.land, .sea])
        #expect(store.keep(TileRecord("sea"), for: StoreKey(3, 0, 0)))
        #expect(await store.record(for: StoreKey(3, 0, 0))?.text == "sea")
    }

    @Test func removesTileInAllScales() async throws {
        let store = try setting.open()
        for scale: UInt8 in 1...4 { _ = store.keep(TileRecord("x\(scale)"), for: StoreKey(3, 1, 1, scale: scale)) }
        _ = store.keep(TileRecord("other"), for: StoreKey(3, 1, 2))
        await store.flush()
        _ = store.keep(TileRecord("new"), for: StoreKey(3, 1, 1))
        let change = await store.remove(StoreKey(3, 1, 1).coordinate, of: .sea, generation: 1)
        #expect(change.usage.entries == 5)
        #expect(change.isComplete && change.isDurable)
        for scale: UInt8 in 1...4 { #expect(await store.record(for: StoreKey(3, 1, 1, scale: scale)) == nil) }
        #expect(await store.record(for: StoreKey(3, 1, 2))?.text == "other")
        _ = store.keep(TileRecord("again"), for: StoreKey(3, 1, 1))
        await store.flush()
        #expect(await store.record(for: StoreKey(3, 1, 1))?.text == "again")
    }

    // MARK: Limits

    @Test func rejectsTilesAboveLimitOfUnwrittenBytes() async throws {
        let store = try setting.open(
            .test {
                $0.batchDelay = 60
                $0.pendingBytes = 10_000
            })
        let taken = (0..<20).filter { store.keep(TileRecord(size: 1_000, number: $0), for: StoreKey(5, $0, 0)) }
        // The limit also counts the overhead of each tile.
        #expect(taken == Array(0..<taken.count) && (3...8).contains(taken.count))
        #expect(store.statistics()["sea"]?.skipped == 20 - taken.count)
        await store.flush()
        #expect(store.keep(TileRecord("more"), for: StoreKey(5, 21, 0)))
    }

    @Test func peekLeavesNoTrace() async throws {
        let store = try setting.open()
        let key = StoreKey(3, 1, 2)
        _ = store.keep(TileRecord("waves", etag: "\"a\""), for: key)
        #expect(await store.peek(key)?.validators?.etag == "\"a\"")
        await store.flush()
        let accessed = try setting.edit("SELECT accessed FROM tile")
        setting.now.withLock { $0 += 1_000 }
        #expect(await store.peek(key)?.text == "waves")
        #expect(await store.peek(StoreKey(3, 1, 1)) == nil)
        await store.flush()
        #expect(try setting.edit("SELECT accessed FROM tile") == accessed)
        #expect(store.totals().all.hits == 0 && store.totals().all.misses == 0)
    }

    @Test func returnsNothingOnceClosed() async throws {
        let store = try setting.open()
        _ = store.keep(TileRecord("waves"), for: StoreKey(3, 1, 2))
        await store.close()
        #expect(await store.record(for: StoreKey(3, 1, 2)) == nil)
        #expect(!store.keep(TileRecord("waves"), for: StoreKey(3, 1, 2)))
        #expect(setting.files == ["tiles.sqlite", "tiles.sqlite.lock", "tiles.sqlite.reserve"])
        #expect(setting.eventsSoFar.isEmpty)
    }
}
