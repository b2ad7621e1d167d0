import Runtime
import TestSupport
import Testing

@testable import TileCache

/// Compares the table with a slow model. Checks that the table evicts the least recently used tile first, stays
/// within its budget, and counts correctly.
@Suite(.blocking) struct MemoryTableTests {
    /// A simple array, from the least to the most recently used tile.
    private struct Model {
        struct Item { var key: TileKey, cost: Int, size: Int?, expires: MonotonicTime }

        var items: [Item] = []
        var generations: [UInt32]
        let budget: Int

        var bytes: Int { items.reduce(0) { $0 + $1.cost } }

        func usage(of layer: UInt16) -> MemoryStore.Usage {
            let live = items.filter { $0.key.layer == layer && $0.key.generation == generations[Int(layer)] }
            return MemoryStore.Usage(entries: live.count, bytes: live.reduce(0) { $0 + $1.cost })
        }

        mutating func tile(_ key: TileKey) -> Int?? {
            // Returns stale tiles too, because they can be renewed.
            guard let index = items.firstIndex(where: { $0.key == key }) else { return .none }
            let item = items.remove(at: index)
            items.append(item)
            return .some(item.size)
        }

        mutating func insert(_ tile: CachedTile, _ key: TileKey, cost: Int) -> Bool {
            guard key.generation == generations[Int(key.layer)], cost <= budget else { return false }
            items.removeAll { $0.key == key }
            while bytes + cost > budget { items.removeFirst() }
            items.append(Item(key: key, cost: cost, size: tile.size, expires: tile.expires))
            return true
        }
    }

    /// Returns the cost of one entry in bytes. Measures it with an empty table.
    private func cost(of tile: CachedTile) -> Int {
        var table = MemoryTable(budget: 1 << 40, generations: [1])
        var evicted: [MemoryStore.Evicted] = []
        _ = table.insert(tile, for: makeKey(0, 0, 0), evicted: &evicted)
        return table.bytes
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func behavesLikeModel(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let budget = Int.random(in: 2_000...40_000, using: &random)
        var table = MemoryTable(budget: budget, generations: [1, 1])
        var model = Model(generations: [1, 1], budget: budget)
        var costs: [Int: Int] = [-1: cost(of: CachedTile(size: nil))]
        for step in 0..<1_500 {
            let layer = UInt16.random(in: 0...1, using: &random)
            let late = Int.random(in: 0..<10, using: &random) == 0
            let generation = model.generations[Int(layer)] - (late && model.generations[Int(layer)] > 1 ? 1 : 0)
            let key = makeKey(5, Int.random(in: 0..<9, using: &random), 3, layer: layer, generation: generation)
            let now = MonotonicTime.zero.adding(seconds: Double(step))
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<45:
                let size = Bool.random(using: &random) ? nil : Int.random(in: 0..<40, using: &random) * 100
                let tile = CachedTile(size: size, at: Double(step), for: Double.random(in: 1...300, using: &random))
                if costs[size ?? -1] == nil { costs[size ?? -1] = cost(of: tile) }
                var evicted: [MemoryStore.Evicted] = []
                let stored = table.insert(tile, for: key, evicted: &evicted)
                #expect(stored == model.insert(tile, key, cost: costs[size ?? -1] ?? 0))
            case 45..<85:
                let found = table.tile(for: key, now: now).map(\.size)
                #expect(found == model.tile(key))
            case 85..<95:
                let expected = model.items.first { $0.key == key }
                let usage = table.remove(key)
                #expect(usage == MemoryStore.Usage(entries: expected == nil ? 0 : 1, bytes: expected?.cost ?? 0))
                model.items.removeAll { $0.key == key }
            case 95..<97:
                let expected = model.usage(of: layer)
                model.generations[Int(layer)] += 1
                #expect(table.clear(layer: layer, generation: model.generations[Int(layer)]) == expected)
            default:
                var position: MemoryTable.Position? = MemoryTable.Position()
                while let start = position { position = table.sweep(from: start, count: 4) }
                model.items.removeAll { $0.key.generation != model.generations[Int($0.key.layer)] }
            }
            #expect(table.count == model.items.count)
            #expect(table.bytes == model.bytes)
            #expect(table.bytes <= budget)
        }
    }

    @Test func evictsLeastRecentlyUsedTile() {
        let one = CachedTile(size: 100)
        var table = MemoryTable(budget: cost(of: one) * 3, generations: [1])
        var evicted: [MemoryStore.Evicted] = []
        for x in 0..<3 { #expect(table.insert(one, for: makeKey(3, x, 0), evicted: &evicted)) }
        #expect(table.tile(for: makeKey(3, 0, 0), now: .zero) != nil)
        #expect(table.insert(one, for: makeKey(3, 3, 0), evicted: &evicted))
        #expect(evicted.count == 1)
        #expect((0..<4).map { table.tile(for: makeKey(3, $0, 0), now: .zero) != nil } == [true, false, true, true])
    }

    /// Two simultaneous clears get their generations in one order and may reach the table in the other order.
    @Test func storesTilesAfterClearsInWrongOrder() {
        var table = MemoryTable(budget: 1 << 20, generations: [4])
        var evicted: [MemoryStore.Evicted] = []
        _ = table.clear(layer: 0, generation: 6)
        _ = table.clear(layer: 0, generation: 5)
        #expect(table.insert(CachedTile(size: 10), for: makeKey(1, 0, 0, generation: 6), evicted: &evicted))
        #expect(!table.insert(CachedTile(size: 10), for: makeKey(1, 0, 0, generation: 5), evicted: &evicted))
    }

    /// The table must release the memory of evicted entries, even if there were many small ones.
    @Test func shrinksAfterManySmallEntries() {
        var table = MemoryTable(budget: 4 << 20, generations: [1])
        var evicted: [MemoryStore.Evicted] = []
        for x in 0..<40_000 {
            _ = table.insert(CachedTile(size: nil), for: makeKey(20, x, 0), evicted: &evicted)
            evicted = []
        }
        let crowd = table.nodes.count
        #expect(crowd > 10_000 && crowd <= table.count + table.count / 8 + 257)
        // The last thousand entries are used, so they stay.
        for x in 39_000..<40_000 { #expect(table.tile(for: makeKey(20, x, 0), now: .zero) != nil) }
        for x in 0..<100 {
            _ = table.insert(CachedTile(size: 30_000), for: makeKey(20, x, 1), evicted: &evicted)
            evicted = []
            #expect(table.nodes.count <= table.count + table.count / 8 + 257)
        }
        #expect(table.nodes.count < crowd / 2)
        #expect((39_000..<40_000).allSatisfy { table.peek(makeKey(20, $0, 0)) != nil })
        #expect((0..<100).allSatisfy { table.peek(makeKey(20, $0, 1))?.size == 30_000 })
        // The table evicts entries in the order of their use.
        for x in 100..<140 { _ = table.insert(CachedTile(size: 30_000), for: makeKey(20, x, 1), evicted: &evicted) }
        let order = evicted.compactMap(\.key?.coordinate).filter { $0.y == 0 }.map(\.x)
        #expect(order == order.sorted() && Array(order.suffix(1_000)) == Array(39_000..<40_000))
    }

    /// A walk must visit all nodes, although nodes move between two parts of the walk.
    @Test(arguments: [true, false]) func visitsAllNodesAlthoughTheyMove(isSoft: Bool) {
        var table = MemoryTable(budget: 1 << 30, generations: [1, 1])
        var evicted: [MemoryStore.Evicted] = []
        for x in 0..<3_000 {
            _ = table.insert(CachedTile(size: 10), for: makeKey(20, x, 0, layer: UInt16(x % 2)), evicted: &evicted)
        }
        let purge = MemoryStore.Purge(
            scope: PurgeScope(layer: 0, area: .everything), isSoft: isSoft, time: .zero)
        var usage = MemoryStore.Usage()
        var position: MemoryTable.Position? = table.purge(
            purge, from: MemoryTable.Position(), count: 1_000, usage: &usage)
        // Removes so many nodes that the other nodes move. Nodes of the purged layer then move into slots that the
        // walk has already passed.
        for x in stride(from: 1, to: 3_000, by: 2) { table.removeAndCompact(makeKey(20, x, 0, layer: 1)) }
        while let start = position { position = table.purge(purge, from: start, count: 1_000, usage: &usage) }
        #expect(usage.entries == 1_500)
        let left = (0..<3_000).compactMap { table.peek(makeKey(20, $0, 0, layer: 0)) }
        #expect(isSoft ? left.count == 1_500 && left.allSatisfy { !$0.isFresh(.zero) } : left.isEmpty)
    }

    @Test func countsOverheadOfTile() {
        // The cost includes the bytes of the body and of the node.
        #expect(cost(of: CachedTile(size: 10_000)) >= 10_000 + 100)
        #expect(cost(of: CachedTile(size: nil)) >= 64)
        #expect(cost(of: CachedTile(size: nil)) <= 512)
    }
}

extension MemoryTable {
    fileprivate mutating func removeAndCompact(_ key: TileKey) {
        _ = remove(key)
        if hasManyFreeSlots { compact() }
    }
}
