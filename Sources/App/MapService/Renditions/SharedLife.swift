import Runtime
import TileCache
import Tiles

/// The lifetime of a result that is made from several tiles. The result expires with the first of its tiles.
package struct SharedLife: Sendable, Equatable {
    /// The age of the oldest tile in seconds.
    private(set) var age: Int
    /// The lifetime, counted from the birth of the oldest tile.
    package private(set) var life: TileLife
    package private(set) var mayBeKept = true

    /// The lifetime of a result that never expires.
    static let endless = SharedLife(
        age: 0, life: TileLife(lifetime: UInt32(Int32.max), staleWhileRevalidate: .max, staleIfError: .max))
}

extension SharedLife {
    package init(_ cached: CachedTile, now: MonotonicTime, mayBeKept: Bool = true) {
        age = max(Int(now.seconds(since: cached.born)), 0)
        life = cached.life
        self.mayBeKept = mayBeKept
    }

    /// Whole seconds until the result expires.
    package var left: Int { max(Int(life.lifetime) - age, 0) }

    mutating func join(_ other: SharedLife) {
        let left = min(left, other.left)
        let clients = [leftForClients, other.leftForClients].compactMap(\.self).min()
        age = max(age, other.age)
        life.lifetime = UInt32(clamping: age + left)
        life.staleWhileRevalidate = min(life.staleWhileRevalidate, other.life.staleWhileRevalidate)
        life.staleIfError = min(life.staleIfError, other.life.staleIfError)
        if life.stated != nil || other.life.stated != nil { life.stated = life.lifetime }
        life.clients.lifetime = clients.map { UInt32(clamping: age + $0) }
        life.clients.rules.formUnion(other.life.clients.rules)
        mayBeKept = mayBeKept && other.mayBeKept
    }

    /// Whole seconds for which clients may keep the result. Nil if no source sets a limit.
    private var leftForClients: Int? { life.clients.lifetime.map { max(Int($0) - age, 0) } }

    /// Returns the lifetime of an image that is drawn from the result now. No cache has kept the image yet. The cache
    /// and clients keep the image for at most `longest` seconds.
    package func ofImage(atMost longest: Int) -> TileLife {
        let lifetime = UInt32(clamping: min(left, longest))
        return TileLife(
            lifetime: lifetime, stated: life.stated.map { _ in lifetime },
            clients: ClientTerms(
                lifetime: leftForClients.map { UInt32(clamping: $0) }, rules: life.clients.rules))
    }

    mutating func forbidKeeping() { mayBeKept = false }

    /// The lifetime of a result from stale tiles or substitutes: a few seconds. The result is not made anew for each
    /// request, and is replaced soon after a better tile arrives.
    var soonOver: SharedLife {
        var shared = self
        shared.life.lifetime = UInt32(clamping: age + Self.soon)
        return shared.stated
    }

    /// This lifetime, stated to clients, so that no client keeps the result forever. For results that can change
    /// without a clear.
    var stated: SharedLife {
        var shared = self
        shared.life.stated = life.lifetime
        return shared
    }

    private static let soon = 5

    /// The lifetime in the form in which a source states its lifetimes to the cache.
    var terms: SourceTerms {
        var terms = SourceTerms()
        terms.age = age
        guard mayBeKept else { return terms }
        var life = life
        // The result has no tile that can become stale.
        if life.staleWhileRevalidate == .max { life.staleWhileRevalidate = 0 }
        if life.staleIfError == .max { life.staleIfError = 0 }
        terms.inherited = life
        return terms
    }
}
