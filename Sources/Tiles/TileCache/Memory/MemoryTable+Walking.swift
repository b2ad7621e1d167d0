/// What goes through all nodes, in short steps.
extension MemoryTable {
    /// How far a walk through all nodes has come.
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

    /// The slots of the next `count` nodes from `position` on; the first ones where nodes were moved meanwhile.
    private func slots(from position: Position, count: Int) -> Range<Int> {
        let start = position.moves == moves ? min(position.slot, nodes.count) : 0
        return start..<min(start + count, nodes.count)
    }

    private func position(after slots: Range<Int>) -> Position? {
        slots.upperBound < nodes.count ? Position(slot: slots.upperBound, moves: moves) : nil
    }

    /// Removes cleared tiles among `count` nodes from `position` on; returns where to go on, nil at the end.
    mutating func sweep(from position: Position, count: Int) -> Position? {
        let slots = slots(from: position, count: count)
        for slot in slots where nodes[slot].isOccupied {
            let key = nodes[slot].key
            if generations[Int(key.layer)] != key.generation { remove(at: Int32(slot)) }
        }
        if slots.upperBound == nodes.count, hasManyFreeSlots { compact() }
        return self.position(after: slots)
    }

    /// Removes, or declares stale by `now`, what `purge` covers among `count` nodes from `position` on; adds it to
    /// `usage`, which is that of this walk. Returns where to go on, nil at the end.
    mutating func purge(
        _ purge: MemoryStore.Purge, from position: Position, count: Int, usage: inout MemoryStore.Usage
    ) -> Position? {
        let slots = slots(from: position, count: count)
        // From the beginning, perhaps once more: what is stale already would be counted twice.
        if slots.lowerBound == 0, purge.isSoft { usage = MemoryStore.Usage() }
        for slot in slots where nodes[slot].isOccupied {
            let key = nodes[slot].key
            guard purge.scope.covers(key), generations[Int(key.layer)] == key.generation else { continue }
            // Only tiles of the source are counted: what was made of them is no tile of its own to a client.
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
