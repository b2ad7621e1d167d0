import Reactor
import Synchronization

/// One part of a `MemoryStore`: a table of nodes that are linked from the most to the least recently used.
final class MemoryShard: Sendable {
    private let state: Mutex<MemoryTable>

    init(budget: Int, generations: [UInt32]) {
        state = Mutex(MemoryTable(budget: budget, generations: generations))
    }

    func tile(for key: TileKey, now: MonotonicTime) -> CachedTile? {
        state.withLock { $0.tile(for: key, now: now) }
    }

    func insert(_ tile: CachedTile, for key: TileKey) -> Bool {
        // What is evicted is freed after the lock is given back.
        var evicted: [StoredTile] = []
        return state.withLock { $0.insert(tile, for: key, evicted: &evicted) }
    }

    func addLayer(generation: UInt32) {
        state.withLock { $0.addLayer(generation: generation) }
    }

    func remove(_ key: TileKey) -> MemoryStore.Usage {
        state.withLock { $0.remove(key) }
    }

    func clear(layer: UInt16, generation: UInt32) -> MemoryStore.Usage {
        state.withLock { $0.clear(layer: layer, generation: generation) }
    }

    func sweep(from position: Int, count: Int) -> Int? {
        state.withLock { $0.sweep(from: position, count: count) }
    }

    var usage: MemoryStore.Usage {
        state.withLock { MemoryStore.Usage(entries: $0.count, bytes: $0.bytes) }
    }
}
