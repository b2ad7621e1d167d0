import Bytes
import Reactor
import Tiles

/// What can be stored: a tile or the knowledge that there is none. "Unavailable" cannot be, and the compiler says so.
public enum StoredTile: Sendable {
    case tile(TileEntry)
    case noTile
}

/// A stored tile and its times, by the monotonic clock: no jump of the wall clock ages it.
public struct CachedTile: Sendable {
    public let content: StoredTile
    /// When the source made it, or last said that it is good: `Age` counts from here (RFC 9111 5.1).
    public let born: MonotonicTime
    /// From here on it is stale.
    public let expires: MonotonicTime
    /// How long it is of use after that.
    public let grace: Grace
    /// Seconds of life that its source gave it; nil where the source gave none, so that the layer's own rule holds.
    public let life: UInt32?
    /// What clients may be told of it.
    public let clients: ClientTerms

    public init(
        content: StoredTile, born: MonotonicTime, expires: MonotonicTime, grace: Grace = .none, life: UInt32? = nil,
        clients: ClientTerms = ClientTerms()
    ) {
        self.life = life
        self.clients = clients
        self.content = content
        self.born = born
        self.expires = expires
        self.grace = grace
    }

    @inline(__always)
    public func isFresh(_ now: MonotonicTime) -> Bool { now < expires }

    /// Whether it may be served while a new one is fetched (RFC 5861 3).
    public func isServableWhileRevalidating(_ now: MonotonicTime) -> Bool {
        now < expires.adding(seconds: Double(grace.whileRevalidating))
    }

    /// Whether it may be served where a new one cannot be had (RFC 5861 4).
    public func isServableOnError(_ now: MonotonicTime) -> Bool {
        now < expires.adding(seconds: Double(grace.ifError))
    }

    /// What the source can tell it by; nil: nothing.
    var validators: Validators? {
        if case .tile(let entry) = content { entry.validators } else { nil }
    }
}
