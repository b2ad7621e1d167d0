import Bytes
import MapGeometry
import TestSupport
import Testing

@testable import TileCache

/// Tests for images that several tiles share.
struct DiskContentTests {
    private let setting: DiskSetting

    init() throws {
        setting = try DiskSetting()
    }

    @Test func storesIdenticalImagesOnce() async throws {
        let store = try setting.open()
        for x in 0..<50 { _ = store.keep(TileRecord("sea"), for: StoreKey(8, x, 0)) }
        for x in 0..<7 { _ = store.keep(TileRecord("land"), for: StoreKey(8, x, 1, of: .land)) }
        _ = store.keep(.nothing, for: StoreKey(8, 0, 2))
        await store.flush()
        #expect(store.totals().all.usage == StoreUsage(entries: 58, bytes: 50 * 3 + 7 * 4))
        #expect(try setting.edit("SELECT uses FROM content ORDER BY uses") == [7, 50])
        #expect(try setting.edit("SELECT count(*) FROM body") == [2])

        _ = store.keep(TileRecord("land"), for: StoreKey(8, 0, 0))
        _ = await store.remove(StoreKey(8, 1, 0).coordinate, of: .sea, generation: 1)
        await store.flush()
        #expect(try setting.edit("SELECT uses FROM content ORDER BY uses") == [8, 48])
        #expect(await store.record(for: StoreKey(8, 49, 0))?.text == "sea")
    }

    @Test func writesOnlyTermsOfKnownImage() async throws {
        let store = try setting.open()
        _ = store.keep(TileRecord("waves", expires: 2_000), for: StoreKey(3, 0, 0))
        await store.flush()
        let body = try setting.edit("SELECT body FROM tile")
        _ = store.keep(TileRecord("waves", etag: "\"new\"", expires: 9_000), for: StoreKey(3, 0, 0))
        await store.flush()
        #expect(await store.record(for: StoreKey(3, 0, 0))?.expires == 9_000)
        #expect(await store.record(for: StoreKey(3, 0, 0))?.validators?.etag == "\"new\"")
        #expect(try setting.edit("SELECT body FROM tile") == body)
        #expect(try setting.edit("SELECT uses FROM content") == [1])
        #expect(store.totals().all.usage == StoreUsage(entries: 1, bytes: 5))
    }

    @Test func distinguishesImagesWithEqualHashes() async throws {
        let store = try setting.open()
        let first = TileRecord("first")
        guard case .tile(_, let hash) = first.content, case .tile(let second, _) = TileRecord("other").content else {
            return
        }
        let collision = TileRecord(
            content: .tile(second, hash), validators: nil, born: 0, expires: 1, stale: .none)
        _ = store.keep(first, for: StoreKey(3, 0, 0))
        _ = store.keep(collision, for: StoreKey(3, 1, 0))
        await store.flush()
        #expect(try setting.edit("SELECT uses FROM content") == [1, 1])
        #expect(await store.record(for: StoreKey(3, 0, 0))?.text == "first")
        // The bytes do not match the hash, so the reader rejects them.
        #expect(await store.record(for: StoreKey(3, 1, 0)) == nil)
    }

    // MARK: Damage

    @Test(arguments: [
        "UPDATE tile SET expires = expires + 1", "UPDATE tile SET born = 0", "UPDATE tile SET etag = '\"b\"'",
        "UPDATE tile SET modified = 'x'", "UPDATE tile SET image = 1", "UPDATE tile SET width = 255",
        "UPDATE tile SET changed = NULL", "UPDATE tile SET x = x + 1", "UPDATE tile SET scale = 2",
        "UPDATE tile SET epoch = 7", "UPDATE tile SET revalidating = 9", "UPDATE tile SET error = 9",
        "UPDATE tile SET size = 4", "UPDATE tile SET high = high + 1", "UPDATE tile SET checksum = 0",
        "UPDATE body SET bytes = x'00'", "DELETE FROM body", "UPDATE tile SET image = NULL",
        "UPDATE space SET fingerprint = 'ffeeddccbbaa99887766554433221100', layer = 'land'",
    ])
    func removesDamagedTile(_ damage: String) async throws {
        let store = try setting.open()
        _ = store.keep(TileRecord("waves", etag: "\"a\""), for: StoreKey(3, 0, 0))
        await store.close()
        try setting.edit(damage + ";")
        let again = try setting.open()
        for key in [
            StoreKey(3, 0, 0), StoreKey(3, 1, 0), StoreKey(3, 0, 0, scale: 2), StoreKey(3, 0, 0, of: .land),
        ] {
            #expect(await again.record(for: key) == nil)
        }
        let setting = setting
        // The event arrives shortly after the count changes.
        #expect(
            await eventually {
                again.totals().all.usage.entries == 0 && setting.eventsSoFar == [.corrupt(entries: 1)]
            })
        #expect(again.keep(TileRecord("waves"), for: StoreKey(3, 0, 0)))
        await again.flush()
        #expect(await again.record(for: StoreKey(3, 0, 0))?.text == "waves")
    }

    @Test func rewritesDamagedImage() async throws {
        let store = try setting.open()
        _ = store.keep(TileRecord("waves"), for: StoreKey(3, 0, 0))
        await store.flush()
        try setting.edit("UPDATE body SET bytes = x'00';")
        // The store has not read the image since, so it does not know about the damage.
        _ = store.keep(TileRecord("waves"), for: StoreKey(3, 0, 0))
        _ = store.keep(TileRecord("waves"), for: StoreKey(3, 1, 0))
        await store.flush()
        #expect(await store.record(for: StoreKey(3, 0, 0))?.text == "waves")
        #expect(await store.record(for: StoreKey(3, 1, 0))?.text == "waves")
        #expect(try setting.edit("SELECT count(*) FROM body") == [1])
    }
}
