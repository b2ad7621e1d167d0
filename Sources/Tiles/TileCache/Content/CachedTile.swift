import Bytes
import Runtime
import Tiles

/// What can be stored: a tile or the knowledge that there is none. "Unavailable" cannot be, and the compiler says so.
package enum StoredTile: Sendable {
    case tile(TileEntry)
    case noTile

    /// The count of its bytes in the budget of memory; nil where they are too few for one.
    var heldBytes: HeldBytes? {
        guard case .tile(let entry) = self, entry.tile.bytes.count > HeldBytes.uncounted else { return nil }
        return entry.tile.bytes.kept as? HeldBytes
    }
}

/// A stored tile and its life, by the monotonic clock: no jump of the wall clock ages it.
package struct CachedTile: Sendable {
    package let content: StoredTile
    /// When the source made it, or last said that it is good: `Age` counts from here (RFC 9111 5.1).
    package let born: MonotonicTime
    package let life: TileLife
    /// It is not to be used before its source has said that it is good still, unless that cannot be asked: whether it was cleared is
    /// not known (`TileLoader.doubt`).
    package internal(set) var isDoubtful = false

    /// From here on it is stale.
    @inlinable
    package var expires: MonotonicTime { born.adding(wholeSeconds: life.lifetime) }

    @inlinable
    package func isFresh(_ now: MonotonicTime) -> Bool { now < expires && !isDoubtful }

    /// Whether it may be served while a new one is fetched (RFC 5861 3).
    package func isServableWhileRevalidating(_ now: MonotonicTime) -> Bool {
        now < expires.adding(wholeSeconds: life.staleWhileRevalidate) && !isDoubtful
    }

    /// Whether it may be served where a new one cannot be had (RFC 5861 4).
    package func isServableOnError(_ now: MonotonicTime) -> Bool {
        now < expires.adding(wholeSeconds: life.staleIfError)
    }

    /// What the source can tell it by; nil: nothing.
    var validators: Validators? {
        if case .tile(let entry) = content { entry.validators } else { nil }
    }
}
