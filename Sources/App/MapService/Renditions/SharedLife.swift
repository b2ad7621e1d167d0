import Runtime
import TileCache
import Tiles

/// How long something lives that is made of tiles: as long as the first of them.
package struct SharedLife: Sendable, Equatable {
    /// The age of the oldest, in seconds.
    private(set) var age: Int
    /// Of something of that age.
    package private(set) var life: TileLife
    package private(set) var mayBeKept = true

    /// Of nothing that could end.
    static let endless = SharedLife(
        age: 0, life: TileLife(lifetime: UInt32(Int32.max), staleWhileRevalidate: .max, staleIfError: .max))
}

extension SharedLife {
    package init(_ cached: CachedTile, now: MonotonicTime, mayBeKept: Bool = true) {
        age = max(Int(now.seconds(since: cached.born)), 0)
        life = cached.life
        self.mayBeKept = mayBeKept
    }

    /// Whole seconds that are left.
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

    /// Whole seconds for which clients may keep it; nil where no source sets a limit.
    private var leftForClients: Int? { life.clients.lifetime.map { max(Int($0) - age, 0) } }

    /// The life of an image that is rendered from it now, which no server has kept, and which clients keep for `longest` seconds
    /// at most.
    package func ofImage(atMost longest: Int) -> TileLife {
        let lifetime = UInt32(clamping: min(left, longest))
        return TileLife(
            lifetime: lifetime, stated: life.stated.map { _ in lifetime },
            clients: ClientTerms(
                lifetime: leftForClients.map { UInt32(clamping: $0) }, rules: life.clients.rules))
    }

    mutating func forbidKeeping() { mayBeKept = false }

    /// For what is made of something stale, or instead of something better: not to be made anew for each request, and
    /// replaced soon after the better is there.
    var soonOver: SharedLife {
        var shared = self
        shared.life.lifetime = UInt32(clamping: age + Self.soon)
        return shared.stated
    }

    /// For what changes without a clear: nobody may keep for good what is made of it.
    var stated: SharedLife {
        var shared = self
        shared.life.stated = life.lifetime
        return shared
    }

    private static let soon = 5

    /// The same as a source's word to the cache.
    var terms: SourceTerms {
        var terms = SourceTerms()
        terms.age = age
        guard mayBeKept else { return terms }
        var life = life
        // Nothing of it can become stale.
        if life.staleWhileRevalidate == .max { life.staleWhileRevalidate = 0 }
        if life.staleIfError == .max { life.staleIfError = 0 }
        terms.inherited = life
        return terms
    }
}
