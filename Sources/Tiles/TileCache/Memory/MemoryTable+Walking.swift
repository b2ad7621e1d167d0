/// Visits all nodes in short steps, so that the caller can release its lock between two steps.
extension MemoryTable {
    /// The position at which the next step of a visit begins.
    struct Position {
        fileprivate var slot = 0
        fileprivate var moves: UInt32 = 0

        /// The beginning.
        init() {}

        fileprivate init(slot: Int, moves: UInt32) {
            self.slot = slot
            self.moves = moves
        }
    }

    /// Returns the slots of the next `count` nodes from `position`. Starts again if nodes were moved since the last
    /// step.
    private func slots(from position: Position, count: Int) -> Range<Int> {
        let start = position.moves == moves ? min(position.slot, nodes.count) : 0
        return start..<min(start + count, nodes.count)
    }

    private func position(after slots: Range<Int>) -> Position? {
        slots.upperBound < nodes.count ? Position(slot: slots.upperBound, moves: moves) : nil
    }

    /// Removes cleared tiles among the next `count` nodes. At the end, compacts a table with many free slots. Returns
    /// the next position, or nil at the end.
    mutating func sweep(from position: Position, count: Int) -> Position? {
        let slots = slots(from: position, count: count)
        for slot in slots where nodes[slot].isOccupied {
            let key = nodes[slot].key
            if generations[Int(key.layer)] != key.generation { remove(at: Int32(slot)) }
        }
        if slots.upperBound == nodes.count, hasManyFreeSlots { compact() }
        return self.position(after: slots)
    }

    /// Purges tiles among the next `count` nodes: removes them, or makes them stale if the purge is soft. Adds the
    /// purged source tiles to `usage`. Returns the position for the next step, or nil after the last node.
    mutating func purge(
        _ purge: MemoryStore.Purge, from position: Position, count: Int, usage: inout MemoryStore.Usage
    ) -> Position? {
        let slots = slots(from: position, count: count)
        // The walk may have started again. Tiles that are already stale must not be counted twice.
        if slots.lowerBound == 0, purge.isSoft { usage = MemoryStore.Usage() }
        for slot in slots where nodes[slot].isOccupied {
            let key = nodes[slot].key
            guard purge.scope.covers(key), generations[Int(key.layer)] == key.generation else { continue }
            // Count only source tiles: to a client, a rendition is not a separate tile.
            if key.variant == .source { usage += MemoryStore.Usage(entries: 1, bytes: nodes[slot].cost) }
            if purge.isSoft {
                expire(at: slot, purge.time)
            } else {
                remove(at: Int32(slot))
            }
        }
        return self.position(after: slots)
    }
}
