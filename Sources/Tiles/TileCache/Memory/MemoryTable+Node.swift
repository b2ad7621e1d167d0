import Runtime
import Tiles

extension MemoryTable {
    /// A slot of the table. If `isOccupied`, it has an entry: a tile, or the fact that there is none, with its key. A
    /// node in the list also has the slots of its neighbours there.
    struct Node {
        var key: TileKey
        var tile: TileEntry?
        var born: MonotonicTime
        var life: TileLife
        var newer: Int32
        var older: Int32
        /// The number of the insertion.
        var number: UInt32
        var isOccupied: Bool

        /// Bytes of a node and its index entry, at the load of the index after it has grown.
        private static let ownCost = 192

        var cost: Int { Self.ownCost + (tile?.cost ?? 0) }

        var cached: CachedTile {
            CachedTile(content: tile.map(StoredTile.tile) ?? .noTile, born: born, life: life)
        }

        /// Makes the tile stale from `time` on.
        mutating func expire(at time: MonotonicTime) {
            life.lifetime = min(life.lifetime, UInt32(clamping: Int(time.seconds(since: born))))
        }
    }
}
