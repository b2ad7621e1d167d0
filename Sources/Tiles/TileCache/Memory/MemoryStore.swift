import MapGeometry
import Runtime
import Synchronization

/// Tiles in memory, bounded in bytes with everything around them counted; the least recently used goes first. Every
/// operation on one tile is O(1).
///
/// Thread rule: any thread. Keys are spread over shards, each with its own lock, held for a few dozen instructions.
package final class MemoryStore: Sendable {
    /// What a layer or the whole store holds.
    package typealias Usage = StoreUsage

    /// How often a layer was asked for, and what it lost to others.
    package struct Traffic: Sendable, Equatable {
        /// Looked for and found fresh.
        package var hits = 0
        /// Looked for and found stale.
        package var stale = 0
        /// Looked for and not found.
        package var misses = 0
        /// Removed for another tile, because the store was full.
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

    /// A tile that was evicted or replaced; the key only where it was evicted.
    struct Evicted {
        let key: TileKey?
        let content: StoredTile
    }

    /// What to remove, or to declare stale from `time` on.
    struct Purge {
        let scope: PurgeScope
        let isSoft: Bool
        let time: MonotonicTime
    }

    /// One part of the store, with a lock of its own.
    private final class Shard: Sendable {
        let table: Mutex<MemoryTable>

        init(budget: Int, generations: [UInt32]) {
            table = Mutex(MemoryTable(budget: budget, generations: generations))
        }
    }

    private let shards: [Shard]
    private let mask: Int

    /// `budget` in bytes, 0: nothing is stored. `layers`: the generation that each layer starts with, by layer number.
    package init(budget: Int, layers: [UInt32]) {
        // A shard must have room for many of the largest tiles, or it would evict small ones for a large one.
        var count = 1
        while count < 16, budget / (count * 2) >= 16 << 20 { count *= 2 }
        shards = (0..<count).map { _ in Shard(budget: budget / count, generations: layers) }
        mask = count - 1
    }

    /// The tile under `key`, stale or not, which becomes the most recently used; nil if there is none. `now` tells which
    /// of the layer's counters goes up.
    package func tile(for key: TileKey, now: MonotonicTime) -> CachedTile? {
        shard(key).table.withLock { $0.tile(for: key, now: now) }
    }

    /// The same, neither counted nor a use of the tile.
    func peek(_ key: TileKey) -> CachedTile? {
        shard(key).table.withLock { $0.peek(key) }
    }

    /// Stores `tile` unless its layer has been cleared since the key was made, or it is larger than the store; says
    /// whether. Appends the tiles that were evicted for it to `evicted`: the caller releases them when it holds no
    /// lock.
    func insert(_ tile: CachedTile, for key: TileKey, evicted: inout [Evicted]) -> Bool {
        let first = evicted.count
        let isStored = shard(key).table.withLock { $0.insert(tile, for: key, evicted: &evicted) }
        if isStored { tile.content.heldBytes?.beginOtherCount() }
        // A tile that a purge removes stays uncounted while a request holds it. Purges are rare and requests short.
        for tile in evicted[first...] { tile.content.heldBytes?.endOtherCount() }
        return isStored
    }

    /// Adds the layer with the number `layer`, under which nothing is stored, and sets the generation it starts with.
    package func addLayer(_ layer: UInt16, generation: UInt32) {
        for shard in shards { shard.table.withLock { $0.addLayer(layer, generation: generation) } }
    }

    /// Frees all that is stored under the numbers `layers`, whatever its generation; nothing may be stored under them
    /// meanwhile.
    func removeAll(of layers: [UInt16]) {
        for shard in shards {
            shard.table.withLock { table in for layer in layers { table.removeAll(of: layer) } }
        }
        sweep()
    }

    /// Removes one tile; returns what it took.
    func remove(_ key: TileKey) -> Usage {
        shard(key).table.withLock { $0.remove(key) }
    }

    /// Declares everything that `layer` had before `generation` gone; returns what that was. Costs the same however much it
    /// is: the memory comes back by `sweep`, or when something else needs it.
    func clear(layer: UInt16, generation: UInt32) -> Usage {
        shards.reduce(into: Usage()) { total, shard in
            total += shard.table.withLock { $0.clear(layer: layer, generation: generation) }
        }
    }

    /// Removes what `purge` says, or declares it stale, in short steps that let others in between; returns what it was.
    func apply(_ purge: Purge) -> Usage {
        shards.reduce(into: Usage()) { total, shard in
            var (position, usage) = (MemoryTable.Position(), Usage())
            while let next = shard.table.withLock({ $0.purge(purge, from: position, count: 256, usage: &usage) }) {
                position = next
            }
            total += usage
        }
    }

    /// Keys of tiles that were found since the last call, or since they were inserted: about `limit` at most; the others
    /// are named by the next call. Goes through what was used meanwhile in short steps that let others in between.
    func found(atMost limit: Int) -> [TileKey] {
        var keys: [TileKey] = []
        for (number, shard) in shards.enumerated() {
            let most = limit / shards.count * (number + 1)
            // Tiles that are found meanwhile move to the end of the list: the count keeps the loop from following them.
            var left = shard.table.withLock { $0.count }
            while left > 0, keys.count < most, shard.table.withLock({ $0.moveMark(past: 64, keys: &keys) }) {
                left -= 64
            }
        }
        return keys
    }

    /// What `layer` holds and how often it was asked for.
    package func report(on layer: UInt16) -> (usage: Usage, traffic: Traffic) {
        shards.reduce(into: (usage: Usage(), traffic: Traffic())) { total, shard in
            let (usage, traffic) = shard.table.withLock { ($0.usage(of: layer), $0.traffic[Int(layer)]) }
            total.usage += usage
            total.traffic = total.traffic + traffic
        }
    }

    /// Frees what was cleared, in short steps that let others in between.
    func sweep() {
        for shard in shards {
            var position = MemoryTable.Position()
            while let next = shard.table.withLock({ $0.sweep(from: position, count: 256) }) { position = next }
        }
    }

    /// What the store holds, cleared tiles that were not swept yet included.
    package var usage: Usage {
        shards.reduce(into: Usage()) { total, shard in
            total += shard.table.withLock { Usage(entries: $0.count, bytes: $0.bytes) }
        }
    }

    /// Tiles that made room for others, since the store was made.
    package var evictions: Int { shards.reduce(0) { $0 + $1.table.withLock { $0.evictions } } }

    private func shard(_ key: TileKey) -> Shard {
        // Neighbouring tiles, which are asked for together, lie in different shards.
        let mixed = (key.coordinate.x &* 0x9E37_79B1) ^ (key.coordinate.y &* 0x85EB_CA77)
        return shards[Int(mixed >> 24) & mask]
    }
}
