import Reactor
import TileCache
import Tiles

/// One of the tiles that another is made of, or the lack of it, and how long that holds.
struct SourceTile: Sendable {
    enum Content: Sendable {
        case tile(Tile)
        case noTile
        case unavailable(Unavailability)
    }

    let content: Content
    let times: SourceTileTimes

    /// What the loader found, at the time `now` of its clock.
    init(_ loaded: Loaded, now: MonotonicTime) {
        switch loaded {
        case .found(let cached, let fill):
            self.init(cached, SourceTileTimes(cached, now: now, mayBeKept: !fill.mustNotBeKept))
        case .present(let cached, _): self.init(cached, SourceTileTimes(cached, now: now))
        case .stale(let cached, _): self.init(cached, SourceTileTimes(cached, now: now).soonOver)
        case .unavailable(let reason, _):
            self.init(content: .unavailable(reason), times: SourceTileTimes.endless.soonOver)
        case .backingOff(let seconds):
            self.init(
                content: .unavailable(.upstreamDown(retryAfter: seconds)), times: SourceTileTimes.endless.soonOver)
        }
    }

    private init(_ cached: CachedTile, _ times: SourceTileTimes) {
        switch cached.content {
        case .tile(let entry): self.init(content: .tile(entry.tile), times: times)
        case .noTile: self.init(content: .noTile, times: times.stated)
        }
    }

    /// A place where the source has no tiles at all.
    static let outside = SourceTile(content: .noTile, times: .endless)

    private init(content: Content, times: SourceTileTimes) {
        self.content = content
        self.times = times
    }

    /// The same, to be replaced soon by something better.
    var soonOver: SourceTile { SourceTile(content: content, times: times.soonOver) }

    var tile: Tile? {
        if case .tile(let tile) = content { tile } else { nil }
    }

    var unavailability: Unavailability? {
        if case .unavailable(let reason) = content { reason } else { nil }
    }
}

/// How long something lives that is made of tiles: as long as the first of them.
package struct SourceTileTimes: Sendable, Equatable {
    /// Whole seconds that are left.
    package private(set) var left: Int
    /// The age of the oldest part, in seconds.
    private(set) var age: Int
    /// Nil where nothing sets a limit.
    private(set) var grace: Grace?
    /// A source gave one of the parts its life.
    private(set) var isStated: Bool
    package private(set) var mayBeKept: Bool
    /// Whole seconds for which clients may keep it; nil where no source sets a limit.
    package private(set) var leftForClients: Int?
    package private(set) var rulesForClients: ClientTerms.Rules

    /// Of nothing that could end.
    static let endless = SourceTileTimes(
        left: Int(Int32.max), age: 0, grace: nil, isStated: false, mayBeKept: true, leftForClients: nil,
        rulesForClients: [])

    private init(
        left: Int, age: Int, grace: Grace?, isStated: Bool, mayBeKept: Bool, leftForClients: Int?,
        rulesForClients: ClientTerms.Rules
    ) {
        self.left = left
        self.age = age
        self.grace = grace
        self.isStated = isStated
        self.mayBeKept = mayBeKept
        self.leftForClients = leftForClients
        self.rulesForClients = rulesForClients
    }

    package init(_ cached: CachedTile, now: MonotonicTime, mayBeKept: Bool = true) {
        let age = max(Int(now.seconds(since: cached.born)), 0)
        self.init(
            left: max(Int(cached.expires.seconds(since: now)), 0), age: age, grace: cached.grace,
            isStated: cached.life != nil, mayBeKept: mayBeKept,
            leftForClients: cached.clients.lifetime.map { max(Int($0) - age, 0) },
            rulesForClients: cached.clients.rules)
    }

    mutating func join(_ other: SourceTileTimes) {
        left = min(left, other.left)
        age = max(age, other.age)
        grace = grace?.shortened(to: other.grace) ?? other.grace
        isStated = isStated || other.isStated
        mayBeKept = mayBeKept && other.mayBeKept
        leftForClients = [leftForClients, other.leftForClients].compactMap(\.self).min()
        rulesForClients.formUnion(other.rulesForClients)
    }

    mutating func forbidKeeping() { mayBeKept = false }

    /// For what is made of something stale, or instead of something better: not to be made anew for each request, and
    /// replaced soon after the better is there.
    var soonOver: SourceTileTimes {
        var times = self
        times.left = Self.soon
        return times.stated
    }

    /// For what changes without a clear: nobody may keep for good what is made of it.
    var stated: SourceTileTimes {
        var times = self
        times.isStated = true
        return times
    }

    private static let soon = 5

    /// The same as a source's word to the cache.
    var terms: SourceTerms {
        var terms = SourceTerms()
        terms.lifetime = mayBeKept ? .seconds(left) : .notStored
        terms.isStated = isStated
        terms.age = age
        terms.clients = ClientTerms(
            lifetime: leftForClients.map { UInt32(clamping: age + $0) }, rules: rulesForClients)
        terms.staleWhileRevalidate = grace.map { Int($0.whileRevalidating) }
        terms.staleIfError = grace.map { Int($0.ifError) }
        return terms
    }
}

extension Grace {
    fileprivate func shortened(to other: Grace?) -> Grace {
        guard let other else { return self }
        return Grace(
            whileRevalidating: min(whileRevalidating, other.whileRevalidating), ifError: min(ifError, other.ifError))
    }
}
