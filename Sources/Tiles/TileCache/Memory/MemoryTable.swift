import Runtime
import Tiles

/// A hash table that remembers in which order its tiles were used. The nodes form a list, from the most recently used
/// node to the least recently used node. The table is a value without a lock: the caller provides the lock.
struct MemoryTable {
    private static let none: Int32 = -1

    /// The slot of each key: the index of its node in `nodes`.
    private var index: [TileKey: Int32] = [:]
    private(set) var nodes: ContiguousArray<Node> = []
    /// Slots that are not in use.
    private var free: ContiguousArray<Int32> = []
    private var newest = MemoryTable.none
    private var oldest = MemoryTable.none
    private let budget: Int
    private(set) var bytes = 0
    /// Number of tiles evicted since the table was made.
    private(set) var evictions = 0
    private var insertions: UInt32 = 0
    /// Sentinel slot without a tile. Tiles that are used after `moveMark` stand on its newer side in the list.
    private var mark = MemoryTable.none
    /// The highest node number that the mark has passed.
    private var passed: UInt32 = 0
    /// Number of calls of `compact`, which moves nodes to other slots.
    private(set) var moves: UInt32 = 0

    /// The current generation of each layer, by layer number. A tile of an earlier generation is not stored. A tile of
    /// a later generation raises it.
    private(set) var generations: [UInt32]
    private var usages: [MemoryStore.Usage]
    private(set) var traffic: [MemoryStore.Traffic]

    init(budget: Int, generations: [UInt32]) {
        self.budget = budget
        self.generations = generations
        usages = Array(repeating: MemoryStore.Usage(), count: generations.count)
        traffic = Array(repeating: MemoryStore.Traffic(), count: generations.count)
    }

    func usage(of layer: UInt16) -> MemoryStore.Usage { usages[Int(layer)] }

    var count: Int { index.count }

    /// Returns the tile under `key`, even if it is stale. The tile becomes the most recently used one. Counts a hit if
    /// the tile is fresh at the time `now`, otherwise a stale hit or a miss.
    mutating func tile(for key: TileKey, now: MonotonicTime) -> CachedTile? {
        guard let slot = index[key] else {
            traffic[Int(key.layer)].misses += 1
            return nil
        }
        if newest != slot {
            unlink(slot)
            linkAsNewest(slot)
        }
        let cached = nodes[Int(slot)].cached
        if cached.isFresh(now) { traffic[Int(key.layer)].hits += 1 } else { traffic[Int(key.layer)].stale += 1 }
        return cached
    }

    /// Returns the tile under `key`. The look-up is not counted and is not a use of the tile.
    func peek(_ key: TileKey) -> CachedTile? {
        index[key].map { nodes[Int($0)].cached }
    }

    /// Stores a tile. Evicts the least recently used tiles if there is no room, and returns false if the tile cannot be
    /// stored. Appends evicted and replaced tiles to `evicted`, so that the caller can free them after it has released
    /// the lock.
    mutating func insert(_ tile: CachedTile, for key: TileKey, evicted: inout [MemoryStore.Evicted]) -> Bool {
        // A later generation means that the clear reached another number of the same layer.
        if generations[Int(key.layer)] != key.generation { _ = clear(layer: key.layer, generation: key.generation) }
        guard generations[Int(key.layer)] == key.generation else { return false }
        let entry: TileEntry? = if case .tile(let entry) = tile.content { entry } else { nil }
        insertions &+= 1
        let node = Node(
            key: key, tile: entry, born: tile.born, life: tile.life, newer: Self.none, older: Self.none,
            number: insertions, isOccupied: true)
        guard node.cost <= budget else { return false }
        if let slot = index[key] { evicted.append(MemoryStore.Evicted(key: nil, content: remove(at: slot))) }
        while bytes + node.cost > budget, let leastRecentlyUsed {
            let key = nodes[Int(leastRecentlyUsed)].key
            traffic[Int(key.layer)].evictions += 1
            evictions += 1
            evicted.append(MemoryStore.Evicted(key: key, content: remove(at: leastRecentlyUsed)))
        }
        let slot = add(node)
        index[key] = slot
        linkAsNewest(slot)
        count(node, times: 1)
        if hasManyFreeSlots { compact() }
        return true
    }

    /// The slot of the least recently used node with a tile. Nil if there is none.
    private var leastRecentlyUsed: Int32? {
        let slot = oldest == mark && mark != Self.none ? nodes[Int(mark)].newer : oldest
        return slot == Self.none ? nil : slot
    }

    /// Puts a node into a free slot and returns the slot. The node is not in the list yet.
    private mutating func add(_ node: Node) -> Int32 {
        let slot = free.popLast() ?? Int32(nodes.count)
        if Int(slot) == nodes.count { nodes.append(node) } else { nodes[Int(slot)] = node }
        return slot
    }

    mutating func addLayer(_ layer: UInt16, generation: UInt32) {
        while generations.count <= Int(layer) {
            generations.append(0)
            usages.append(MemoryStore.Usage())
            traffic.append(MemoryStore.Traffic())
        }
        generations[Int(layer)] = generation
        usages[Int(layer)] = MemoryStore.Usage()
        traffic[Int(layer)] = MemoryStore.Traffic()
    }

    /// Clears all tiles of `layer`.
    mutating func removeAll(of layer: UInt16) {
        // A number without a layer, because the layer could not be made, has no entry here.
        guard Int(layer) < generations.count else { return }
        _ = clear(layer: layer, generation: generations[Int(layer)] &+ 1)
    }

    mutating func remove(_ key: TileKey) -> MemoryStore.Usage {
        guard let slot = index[key] else { return MemoryStore.Usage() }
        let cost = nodes[Int(slot)].cost
        _ = remove(at: slot)
        return MemoryStore.Usage(entries: 1, bytes: cost)
    }

    mutating func clear(layer: UInt16, generation: UInt32) -> MemoryStore.Usage {
        // Two clears at the same time may arrive in the wrong order. The later generation wins.
        guard Int32(bitPattern: generation &- generations[Int(layer)]) > 0 else { return MemoryStore.Usage() }
        let cleared = usages[Int(layer)]
        usages[Int(layer)] = MemoryStore.Usage()
        generations[Int(layer)] = generation
        return cleared
    }

    // MARK: Use

    /// Finds tiles that were used since they were inserted or since the mark passed them, and adds their keys to
    /// `keys`. The function moves a mark through the list, towards the most recently used tile, past at most `count`
    /// tiles. The mark starts before the least recently used tile, and later goes on from its last place. Returns true
    /// if more tiles follow.
    ///
    /// A look-up needs no extra work for this, because it moves the tile in the list anyway. If the mark meets a tile
    /// after tiles that were inserted later, the tile was used. Uses that leave the tiles in the order of their
    /// insertion are not found.
    mutating func moveMark(past count: Int, keys: inout [TileKey]) -> Bool {
        if mark == Self.none {
            guard oldest != Self.none else { return false }
            var node = nodes[Int(oldest)]
            (node.tile, node.isOccupied) = (nil, false)
            mark = add(node)
            link(mark, asNewerThan: Self.none)
        }
        for _ in 0..<count {
            let slot = nodes[Int(mark)].newer
            guard slot != Self.none else { return false }
            unlink(mark)
            link(mark, asNewerThan: slot)
            let node = nodes[Int(slot)]
            if Int32(bitPattern: node.number &- passed) <= 0 { keys.append(node.key) } else { passed = node.number }
        }
        return nodes[Int(mark)].newer != Self.none
    }

    // MARK: Nodes

    /// Number of free slots that every table may have.
    private static let fewSlots = 256

    /// True if the free slots take much memory.
    var hasManyFreeSlots: Bool { free.count > index.count / 8 + Self.fewSlots }

    /// Makes the tile in this slot stale from `time` on.
    mutating func expire(at slot: Int, _ time: MonotonicTime) { nodes[slot].expire(at: time) }

    /// Frees the memory of removed nodes by moving the remaining nodes together. Without this, memory would stay unused
    /// after many small tiles were evicted. The time is proportional to the number of nodes, but the function runs only
    /// after an eighth of the nodes were removed.
    mutating func compact() {
        var kept = ContiguousArray<Node>()
        kept.reserveCapacity(nodes.count - free.count + Self.fewSlots)
        var slots = [TileKey: Int32](minimumCapacity: index.count)
        var (next, markNow) = (oldest, Self.none)
        while next != Self.none {
            var node = nodes[Int(next)]
            let slot = Int32(kept.count)
            if next == mark { markNow = slot } else { slots[node.key] = slot }
            next = node.newer
            (node.older, node.newer) = (slot - 1, next == Self.none ? Self.none : slot + 1)
            kept.append(node)
        }
        // The first node has no older neighbour: slot -1 is `none`.
        (oldest, newest, mark) = (kept.isEmpty ? Self.none : 0, Int32(kept.count) - 1, markNow)
        (nodes, index, free) = (kept, slots, [])
        moves &+= 1
    }

    @discardableResult
    mutating func remove(at slot: Int32) -> StoredTile {
        let node = nodes[Int(slot)]
        unlink(slot)
        index[node.key] = nil
        count(node, times: -1)
        nodes[Int(slot)].tile = nil
        nodes[Int(slot)].isOccupied = false
        free.append(slot)
        return node.tile.map(StoredTile.tile) ?? .noTile
    }

    private mutating func count(_ node: Node, times sign: Int) {
        let cost = node.cost
        bytes += sign * cost
        // The usage of a cleared generation was subtracted when the layer was cleared.
        let layer = Int(node.key.layer)
        guard generations[layer] == node.key.generation else { return }
        usages[layer] += MemoryStore.Usage(entries: sign, bytes: sign * cost)
    }

    private mutating func unlink(_ slot: Int32) {
        let (newer, older) = (nodes[Int(slot)].newer, nodes[Int(slot)].older)
        if newer == Self.none { newest = older } else { nodes[Int(newer)].older = older }
        if older == Self.none { oldest = newer } else { nodes[Int(older)].newer = newer }
    }

    /// `older` is `none` if the node becomes the oldest.
    private mutating func link(_ slot: Int32, asNewerThan older: Int32) {
        let newer = older == Self.none ? oldest : nodes[Int(older)].newer
        (nodes[Int(slot)].newer, nodes[Int(slot)].older) = (newer, older)
        if newer == Self.none { newest = slot } else { nodes[Int(newer)].older = slot }
        if older == Self.none { oldest = slot } else { nodes[Int(older)].newer = slot }
    }

    private mutating func linkAsNewest(_ slot: Int32) {
        nodes[Int(slot)].newer = Self.none
        nodes[Int(slot)].older = newest
        if newest == Self.none { oldest = slot } else { nodes[Int(newest)].newer = slot }
        newest = slot
    }
}
