import Runtime
import Tiles

extension MemoryTable {
    /// What a slot holds: an answer under its key, and the slots beside it in the list.
    struct Node {
        var key: TileKey
        var tile: TileEntry?
        var born: MonotonicTime
        var life: TileLife
        var newer: Int32
        var older: Int32
        /// Counts insertions.
        var number: UInt32
        var isOccupied: Bool

        /// Bytes of a node and its entry in the index, at the load the index has after it grew.
        private static let ownCost = 192

        var cost: Int { Self.ownCost + (tile?.cost ?? 0) }

        var cached: CachedTile {
            CachedTile(content: tile.map(StoredTile.tile) ?? .noTile, born: born, life: life)
        }

        /// Has it stale from `time` on.
        mutating func expire(at time: MonotonicTime) {
            life.lifetime = min(life.lifetime, UInt32(clamping: Int(time.seconds(since: born))))
        }
    }
}
