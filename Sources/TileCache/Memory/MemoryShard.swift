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

    func peek(_ key: TileKey) -> CachedTile? {
        state.withLock { $0.peek(key) }
    }

    func insert(_ tile: CachedTile, for key: TileKey, evicted: inout [MemoryStore.Evicted]) -> Bool {
        state.withLock { $0.insert(tile, for: key, evicted: &evicted) }
    }

    func addLayer(_ layer: UInt16, generation: UInt32) {
        state.withLock { $0.addLayer(layer, generation: generation) }
    }

    func forget(_ layers: [UInt16]) {
        state.withLock { state in for layer in layers { state.forget(layer) } }
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

    func purge(
        _ purge: MemoryStore.Purge, from position: Int, count: Int, usage: inout MemoryStore.Usage
    ) -> Int? {
        state.withLock { $0.purge(purge, from: position, count: count, usage: &usage) }
    }

    func moveMark(past count: Int, keys: inout [TileKey]) -> Bool {
        state.withLock { $0.moveMark(past: count, keys: &keys) }
    }

    func report(on layer: UInt16) -> (MemoryStore.Usage, MemoryStore.Traffic) {
        state.withLock { ($0.usage(of: layer), $0.traffic[Int(layer)]) }
    }

    var usage: MemoryStore.Usage {
        state.withLock { MemoryStore.Usage(entries: $0.count, bytes: $0.bytes) }
    }
}
