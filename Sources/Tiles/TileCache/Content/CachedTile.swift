import Bytes
import Runtime
import Tiles

/// What can be stored: a tile or the knowledge that there is none. "Unavailable" cannot be, and the compiler says so.
public enum StoredTile: Sendable {
    case tile(TileEntry)
    case noTile

    /// The count of its bytes in the budget of memory; nil where they are too few for one.
    var heldBytes: HeldBytes? {
        guard case .tile(let entry) = self, entry.tile.bytes.count > HeldBytes.uncounted else { return nil }
        return entry.tile.bytes.kept as? HeldBytes
    }
}

/// A stored tile and its life, by the monotonic clock: no jump of the wall clock ages it.
public struct CachedTile: Sendable {
    public let content: StoredTile
    /// When the source made it, or last said that it is good: `Age` counts from here (RFC 9111 5.1).
    public let born: MonotonicTime
    public let life: TileLife
    /// It is not to be used before its source has said that it is good still, unless that cannot be asked: whether it was cleared is
    /// not known (`TileLoader.doubt`).
    public internal(set) var isDoubtful = false

    public init(content: StoredTile, born: MonotonicTime, life: TileLife) {
        self.content = content
        self.born = born
        self.life = life
    }

    /// From here on it is stale.
    @inline(__always)
    public var expires: MonotonicTime { born.adding(wholeSeconds: life.lifetime) }

    @inline(__always)
    public func isFresh(_ now: MonotonicTime) -> Bool { now < expires && !isDoubtful }

    /// Whether it may be served while a new one is fetched (RFC 5861 3).
    public func isServableWhileRevalidating(_ now: MonotonicTime) -> Bool {
        now < expires.adding(wholeSeconds: life.staleWhileRevalidate) && !isDoubtful
    }

    /// Whether it may be served where a new one cannot be had (RFC 5861 4).
    public func isServableOnError(_ now: MonotonicTime) -> Bool {
        now < expires.adding(wholeSeconds: life.staleIfError)
    }

    /// What the source can tell it by; nil: nothing.
    var validators: Validators? {
        if case .tile(let entry) = content { entry.validators } else { nil }
    }
}
