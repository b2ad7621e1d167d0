import MapGeometry
import Testing

@testable import TileCache

/// Tests for values of a wrong type in the database. A single flipped bit turns an 8-byte INTEGER into a REAL, which
/// may be greater than any integer.
struct DiskTypeTests {
    private let setting: DiskSetting

    init() throws {
        setting = try DiskSetting()
    }

    @Test(arguments: [
        "tile.high", "tile.low", "tile.checksum", "tile.body", "tile.size", "tile.epoch", "tile.born", "tile.changed",
        "tile.image", "tile.accessed", "layer.checksum", "layer.generation", "purge.checksum", "purge.epoch",
        "state.checksum", "state.epoch", "space.bytes", "content.uses", "content.body",
    ])
    func survivesRealInsteadOfInteger(_ column: String) async throws {
        let limits = DiskSettings.test { $0.maxBytes = 1 << 20 }
        let filled = try setting.open(limits)
        // The purge is not finished, so it is still in the database when the store closes.
        _ = filled.storeIndex.purge(
            SpaceKey(namespace: .land, generation: 1), .box(TileBox(zooms: 0...1)), isSoft: false, time: 1)
        await setting.fill(filled)
        try damage(column)
        let store = try setting.open(limits)
        await read(store)
        _ = await store.purge(.sea, generation: 1, area: .box(TileBox(zooms: 0...30)), isSoft: true)
        _ = await store.remove(StoreKey(8, 7, 0).coordinate, of: .sea, generation: 1)
        await read(store)
        for x in 0..<120 { _ = store.keep(TileRecord(size: 7_000, number: x), for: StoreKey(9, x, 0)) }
        await store.flush()
        _ = await store.purge(.sea, generation: 1, area: .box(TileBox(zooms: 8...8)), isSoft: false)
        _ = await store.clear(.sea, generation: 2)
        await store.settle()
        #expect((store.statistics()["sea"]?.usage ?? StoreUsage()) == StoreUsage())
    }

    /// Tests the damage with tiles that the store removes by itself: tiles of cleared layers and the least recently
    /// used tiles.
    @Test(arguments: ["tile.high", "tile.low", "tile.body", "tile.size", "tile.accessed"], [false, true])
    func survivesRealInsteadOfIntegerDuringEviction(_ column: String, isCleared: Bool) async throws {
        await setting.fill(try setting.open())
        try damage(column)
        let store = try setting.open(.test { $0.maxBytes = 512 << 10 })
        if isCleared { _ = await store.clear(.sea, generation: 2) }
        for x in 0..<200 {
            _ = store.keep(TileRecord(size: 7_000, number: x), for: StoreKey(9, x, 0, of: .land))
            await store.flush()
        }
        await store.settle()
        #expect(store.totals().isWriting)
    }

    /// Changes the type of the values like a flipped bit would. SQLite stores the type in each row, so the column's
    /// declared type does not matter.
    private func damage(_ column: String) throws {
        let parts = column.split(separator: ".")
        try setting.edit(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, '\(parts[1]) INTEGER', '\(parts[1]) ANY') \
            WHERE name = '\(parts[0])';
            """)
        try setting.edit("UPDATE \(parts[0]) SET \(parts[1]) = 1e300 WHERE \(parts[1]) IS NOT NULL;")
        try setting.edit(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, ' ANY', ' INTEGER') WHERE name = '\(parts[0])';
            """)
        let count = "SELECT count(*) FROM \(parts[0]) WHERE typeof(\(parts[1])) = 'real'"
        #expect(try setting.edit(count).first ?? 0 > 0)
    }

    private func read(_ store: DiskStore) async {
        for x in 0..<200 {
            let text = await store.record(for: StoreKey(8, x, 0))?.text
            #expect(text == nil || text == TileRecord(size: 700, number: x).text)
        }
    }
}
