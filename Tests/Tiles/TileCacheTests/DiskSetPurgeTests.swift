import MapGeometry
import Testing

@testable import TileCache

/// Tests for purges of tile sets from the disk store.
struct DiskSetPurgeTests {
    private let setting: DiskSetting

    init() throws {
        setting = try DiskSetting()
    }

    private static let keys = (0...5).flatMap { z in
        (0..<1 << z).flatMap { x in (0..<1 << z).map { y in StoreKey(z, x, y) } }
    }

    private func fill(_ store: DiskStore) {
        for key in Self.keys { _ = store.keep(TileRecord("wave", etag: "\"a\""), for: key) }
    }

    private static func set(_ tiles: [(Int, Int, Int)], _ zooms: ClosedRange<Int>? = nil) -> TileSet? {
        TileSet(tiles.map { StoreKey($0.0, $0.1, $0.2).coordinate }, zooms: zooms)
    }

    /// Sets with a single tile, distant tiles, neighbours, and with zooms above and below the tiles.
    private static let sets: [TileSet] = [
        set([(5, 7, 9)]), set([(5, 0, 31), (5, 31, 0), (4, 3, 3), (0, 0, 0)]), set([(5, 4, 4), (5, 4, 5), (5, 5, 4)]),
        set([(3, 2, 5), (3, 2, 7), (3, 7, 0)], 1...5), set([(2, 1, 1), (5, 30, 30), (4, 0, 0)], 0...30),
        set([(5, 9, 9)], 3...3), set([], 0...30), set([(20, 1 << 19, 1)], 4...6),
        TileSet(keys.map(\.coordinate).filter { $0.z == 5 && $0.x * 7 + $0.y * 3 & 5 == 1 }),
    ].compactMap(\.self)

    @Test(arguments: 0..<9, [1, 3, 256])
    func purgesOnlyTilesInSet(number: Int, stepCount: Int) async throws {
        let set = Self.sets[number]
        let store = try setting.open(.test { $0.stepCount = stepCount })
        fill(store)
        await store.flush()
        let change = await store.purge(.sea, generation: 1, area: .set(set), isSoft: false)
        let purged = Self.keys.filter { set.contains($0.coordinate) }
        #expect(change == StoreChange(usage: StoreUsage(entries: purged.count, bytes: purged.count * 4)))
        for key in Self.keys { #expect(await (store.record(for: key) == nil) == set.contains(key.coordinate)) }
        await store.close()
        #expect(try setting.edit("SELECT count(*) FROM purge") == [0])
        #expect(try setting.edit("SELECT count(*) FROM tile") == [Int64(Self.keys.count - purged.count)])
    }

    @Test(arguments: [true, false])
    func softPurgeMakesTilesStale(areWritten: Bool) async throws {
        let set = Self.sets[3]
        let store = try setting.open(areWritten ? .test : .unhurried)
        fill(store)
        if areWritten { await store.flush() }
        setting.now.withLock { $0 = 1_500 }
        _ = await store.purge(.sea, generation: 1, area: .set(set), isSoft: true)
        for _ in 0..<2 {
            for key in Self.keys {
                let expires = await store.record(for: key)?.expires
                #expect(expires == (set.contains(key.coordinate) ? 1_500 : 2_000))
            }
            await store.settle()
        }
    }

    /// The purge is in force as soon as it begins, also in the next process.
    @Test(arguments: [0, 3, 4])
    func continuesPurgeAfterBeingKilled(number: Int) async throws {
        let limits = DiskSettings.test {
            $0.purgeTime = 0
            $0.stepCount = 1
            $0.retryInterval = 60
        }
        let (set, copy) = (Self.sets[number], try DiskSetting())
        let store = try setting.open(limits)
        fill(store)
        await store.flush()
        let space = SpaceKey(namespace: .sea, generation: 1)
        let filter = store.storeIndex.purge(space, .set(set), isSoft: false, time: 1_500).filter
        let here = setting
        try await store.writer.run { writer in
            Result {
                _ = writer.purge(filter)
                try here.copyFiles(to: copy)
            }
        }.get()
        let again = try copy.open(limits)
        for key in Self.keys { #expect(await (again.record(for: key) == nil) == set.contains(key.coordinate)) }
        await again.settle()
        for key in Self.keys { #expect(await (again.record(for: key) == nil) == set.contains(key.coordinate)) }
        #expect(try copy.edit("SELECT count(*) FROM purge") == [0])
    }

    /// Purges wait in memory while the disk fails. If their sets need too much memory, a purge of the whole layer
    /// replaces them.
    @Test func widensWaitingPurgesOfLargeSets() throws {
        let store = try setting.open(.unhurried)
        let space = SpaceKey(namespace: .sea, generation: 1)
        for number in 0..<5 {
            let tiles = (0..<TileSet.mostTiles).map { StoreKey(20, $0, number).coordinate }
            let set = try #require(TileSet(tiles))
            let (filter, isWidened) = store.storeIndex.purge(space, .set(set), isSoft: false, time: 1_500)
            #expect(isWidened == (number == 4) && (filter.area == .everything) == isWidened)
        }
        #expect(store.storeIndex.state.withLock { $0.filters[space]?.count } == 1)
    }

    @Test func decodesStoredAreas() {
        let areas = Self.sets.map(TileArea.set) + [.everything, .box(TileBox(StoreKey(3, 1, 2).coordinate))]
        for area in areas {
            let (low, high) = (Int64(area.zooms.lowerBound), Int64(area.zooms.upperBound))
            #expect(TileArea(from: low, to: high, stored: area.stored) == area)
        }
        for text in ["#", "#?", "#AA==", "#AgA=", "", "1,2,3"] {
            #expect(TileArea(from: 0, to: 0, stored: text) == nil, "\(text)")
        }
    }
}
