import MapGeometry
import Runtime
import Synchronization

/// Caches tiles in memory. If the tiles of a shard and their overhead need more bytes than the shard's part of the
/// limit, the shard evicts its least recently used tiles. An operation on one tile takes constant time on average.
///
/// Thread rule: any thread. The keys are distributed over shards, and each shard has its own lock.
package final class MemoryStore: Sendable {
    /// Tiles and bytes of a layer or of the whole store.
    package typealias Usage = StoreUsage

    /// Numbers of look-ups for a layer by their result, and the number of evicted tiles.
    package struct Traffic: Sendable, Equatable {
        /// Look-ups that found a tile, or that there is none, within its lifetime. A tile in doubt counts too
        /// (`TileLoader.doubt`).
        package var hits = 0
        /// Look-ups that found a tile, or that there is none, after its lifetime.
        package var stale = 0
        /// Look-ups that found nothing.
        package var misses = 0
        /// Tiles that were evicted because the store was full.
        package var evictions = 0

        package init() {}

        package static func + (left: Traffic, right: Traffic) -> Traffic {
            var sum = left
            sum.hits += right.hits
            sum.stale += right.stale
            sum.misses += right.misses
            sum.evictions += right.evictions
            return sum
        }
    }

    /// A tile that was evicted or replaced. `key` is nil if the tile was replaced.
    struct Evicted {
        let key: TileKey?
        let content: StoredTile
    }

    /// The tiles to remove. A soft purge declares them stale from `time` on instead.
    struct Purge {
        let scope: PurgeScope
        let isSoft: Bool
        let time: MonotonicTime
    }

    /// One part of the store with its own lock.
    private final class Shard: Sendable {
        let table: Mutex<MemoryTable>

        init(budget: Int, generations: [UInt32]) {
            table = Mutex(MemoryTable(budget: budget, generations: generations))
        }
    }

    private let shards: [Shard]
    private let mask: Int

    /// - Parameters:
    ///   - budget: the byte limit. 0 stores nothing.
    ///   - layers: the first generation of each layer, by layer number.
    package init(budget: Int, layers: [UInt32]) {
        // A shard must have room for many large tiles. Otherwise one large tile would evict all the small ones.
        var count = 1
        while count < 16, budget / (count * 2) >= 16 << 20 { count *= 2 }
        shards = (0..<count).map { _ in Shard(budget: budget / count, generations: layers) }
        mask = count - 1
    }

    /// Returns the tile under `key`, fresh or stale, and makes it the most recently used. Nil if there is none. Counts
    /// a hit, a stale hit or a miss of the layer at the time `now`.
    package func tile(for key: TileKey, now: MonotonicTime) -> CachedTile? {
        shard(key).table.withLock { $0.tile(for: key, now: now) }
    }

    /// Returns the tile under `key`. The look-up is not counted and is not a use of the tile.
    func peek(_ key: TileKey) -> CachedTile? {
        shard(key).table.withLock { $0.peek(key) }
    }

    /// Stores `tile`. Returns false if the layer was cleared after the key was made, or if the tile is larger than the
    /// share of a shard. Appends evicted and replaced tiles to `evicted`. The caller must release them when it holds no
    /// lock.
    func insert(_ tile: CachedTile, for key: TileKey, evicted: inout [Evicted]) -> Bool {
        let first = evicted.count
        let isStored = shard(key).table.withLock { $0.insert(tile, for: key, evicted: &evicted) }
        if isStored { tile.content.heldBytes?.beginOtherCount() }
        // A tile that a clear or purge removes is not counted while a request holds it. Clears are rare and requests
        // are short.
        for tile in evicted[first...] { tile.content.heldBytes?.endOtherCount() }
        return isStored
    }

    /// Adds an empty layer with the number `layer`, and sets its first generation.
    package func addLayer(_ layer: UInt16, generation: UInt32) {
        for shard in shards { shard.table.withLock { $0.addLayer(layer, generation: generation) } }
    }

    /// Removes all tiles of `layers`, whatever their generation, and frees the memory. Nothing may be stored under
    /// these numbers meanwhile.
    func removeAll(of layers: [UInt16]) {
        for shard in shards {
            shard.table.withLock { table in for layer in layers { table.removeAll(of: layer) } }
        }
        sweep()
    }

    /// Removes one tile. Returns its memory.
    func remove(_ key: TileKey) -> Usage {
        shard(key).table.withLock { $0.remove(key) }
    }

    /// Clears all tiles of `layer` with generations before `generation`. Returns their number and bytes. Takes constant
    /// time: `sweep` or later insertions free the memory.
    func clear(layer: UInt16, generation: UInt32) -> Usage {
        shards.reduce(into: Usage()) { total, shard in
            total += shard.table.withLock { $0.clear(layer: layer, generation: generation) }
        }
    }

    /// Applies `purge` in short steps, so that other threads can take the lock in between. Returns the number and bytes
    /// of the affected source tiles.
    func apply(_ purge: Purge) -> Usage {
        shards.reduce(into: Usage()) { total, shard in
            var (position, usage) = (MemoryTable.Position(), Usage())
            while let next = shard.table.withLock({ $0.purge(purge, from: position, count: 256, usage: &usage) }) {
                position = next
            }
            total += usage
        }
    }

    /// Returns the keys of most tiles that requests have found in memory since the last call (`MemoryTable.moveMark`).
    /// Other tiers need these keys to know which tiles are in use. Returns about `limit` keys at most, and the next
    /// call returns further keys.
    ///
    /// Works in short steps, so that other threads can take the lock in between.
    func found(atMost limit: Int) -> [TileKey] {
        var keys: [TileKey] = []
        for (number, shard) in shards.enumerated() {
            let most = limit / shards.count * (number + 1)
            // Tiles that are found during the loop move to the end of the list. The count keeps the loop from following
            // them.
            var left = shard.table.withLock { $0.count }
            while left > 0, keys.count < most, shard.table.withLock({ $0.moveMark(past: 64, keys: &keys) }) {
                left -= 64
            }
        }
        return keys
    }

    /// Returns the tiles and bytes of `layer`, and its traffic.
    package func report(on layer: UInt16) -> (usage: Usage, traffic: Traffic) {
        shards.reduce(into: (usage: Usage(), traffic: Traffic())) { total, shard in
            let (usage, traffic) = shard.table.withLock { ($0.usage(of: layer), $0.traffic[Int(layer)]) }
            total.usage += usage
            total.traffic = total.traffic + traffic
        }
    }

    /// Frees cleared tiles in short steps, so that other threads can take the lock in between. A shard with many free
    /// slots is compacted in one longer step.
    func sweep() {
        for shard in shards {
            var position = MemoryTable.Position()
            while let next = shard.table.withLock({ $0.sweep(from: position, count: 256) }) { position = next }
        }
    }

    /// Tiles and bytes of the store, including cleared tiles that were not swept yet.
    package var usage: Usage {
        shards.reduce(into: Usage()) { total, shard in
            total += shard.table.withLock { Usage(entries: $0.count, bytes: $0.bytes) }
        }
    }

    /// Number of tiles evicted since the store was made.
    package var evictions: Int { shards.reduce(0) { $0 + $1.table.withLock { $0.evictions } } }

    private func shard(_ key: TileKey) -> Shard {
        // Puts neighbouring tiles into different shards, because they are often requested together.
        let mixed = (key.coordinate.x &* 0x9E37_79B1) ^ (key.coordinate.y &* 0x85EB_CA77)
        return shards[Int(mixed >> 24) & mask]
    }
}
