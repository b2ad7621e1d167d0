import Bytes
import Runtime
import Tiles

/// A result that can be stored: a tile, or the fact that there is no tile. "Unavailable" cannot be stored, which the
/// compiler checks.
package enum StoredTile: Sendable {
    case tile(TileEntry)
    case noTile

    /// The count of the tile's bytes in the memory budget. Nil if the bytes are not counted, such as those of a small
    /// tile, or if there is no tile.
    var heldBytes: HeldBytes? {
        guard case .tile(let entry) = self, entry.tile.bytes.count > HeldBytes.uncounted else { return nil }
        return entry.tile.bytes.kept as? HeldBytes
    }
}

/// A tile, or the fact that there is none, with its lifetime. Its age uses the monotonic clock, so a change of the wall
/// clock does not make the tile older or younger.
package struct CachedTile: Sendable {
    package let content: StoredTile
    /// Time when the source made or revalidated the tile. `Age` counts from here (RFC 9111 5.1).
    package let born: MonotonicTime
    package let life: TileLife
    /// True if the tile must be revalidated before its next use, because it may have been cleared on another node. If
    /// revalidation is impossible, the tile may be served (`TileLoader.doubt`).
    package internal(set) var isDoubtful = false

    /// The time from which the tile is stale.
    @inlinable
    package var expires: MonotonicTime { born.adding(wholeSeconds: life.lifetime) }

    @inlinable
    package func isFresh(_ now: MonotonicTime) -> Bool { now < expires && !isDoubtful }

    /// Reports whether the tile may be served while a new one is fetched (RFC 5861 3).
    package func isServableWhileRevalidating(_ now: MonotonicTime) -> Bool {
        now < expires.adding(wholeSeconds: life.staleWhileRevalidate) && !isDoubtful
    }

    /// Reports whether the tile may be served if no new one can be fetched (RFC 5861 4).
    package func isServableOnError(_ now: MonotonicTime) -> Bool {
        now < expires.adding(wholeSeconds: life.staleIfError)
    }

    /// The validators for asking the source whether the tile has changed. Nil if there are none.
    var validators: Validators? {
        if case .tile(let entry) = content { entry.validators } else { nil }
    }
}
