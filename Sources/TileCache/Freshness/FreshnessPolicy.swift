import TileLayers

/// How long a layer's tiles live: what the operator says, where the source says nothing, and how far the source is believed
/// (RFC 9111 4.2, RFC 5861). All times in whole seconds, 0…2^31.
public struct FreshnessPolicy: Sendable, Hashable {
    /// The life of a tile whose source does not say.
    public var timeToLive: Int
    /// The shortest life of a tile whose source gives it a life at all.
    public var shortest: Int
    /// The longest, whatever the source says.
    public var longest: Int
    /// Whether `timeToLive` counts and what the source says does not.
    public var overridesSource = false
    /// The life of "no tile", whatever the source says.
    public var noTileTimeToLive: Int
    /// The operator's word on how long a stale tile may be used; nil: the source's, else the default.
    public var staleWhileRevalidate: Int?
    public var staleIfError: Int?

    /// Where neither the operator nor the source says anything (threats.md 2).
    public static let defaultStaleWhileRevalidate = 60
    public static let defaultStaleIfError = 7 * 86_400

    public init(timeToLive: Int, shortest: Int, longest: Int, noTileTimeToLive: Int) {
        self.timeToLive = timeToLive
        self.shortest = shortest
        self.longest = longest
        self.noTileTimeToLive = noTileTimeToLive
    }

    /// The times of one answer.
    struct Freshness: Equatable {
        /// Seconds since the source made it.
        var age: Int
        /// Seconds from now on in which it is fresh.
        var lifetime: Int
        var grace: Grace
    }

    /// The times of an answer that comes with `terms`; nil where it must not be kept. `jitter` in 0..<1 takes up to a tenth
    /// of the life, at most an hour, so that tiles which came together do not all expire together.
    func freshness(of terms: SourceTerms, isTile: Bool, jitter: Double) -> Freshness? {
        guard !overridesSource else { return own(terms, isTile, jitter) }
        switch terms.lifetime {
        case .notStored: return nil
        case .unsaid:
            var freshness = own(terms, isTile, jitter)
            freshness.grace = grace(terms, hasLife: true)
            return freshness
        case .seconds(let said):
            guard isTile else { return own(terms, isTile, jitter) }
            // A layer of somebody's own may say what it likes: no difference overflows.
            let age = max(terms.age, 0)
            // No life is an order to ask before each use; the least life is for those who give one that is too short.
            guard said > 0 else { return Freshness(age: age, lifetime: 0, grace: grace(terms, hasLife: false)) }
            let left = min(max(said - min(age, said), shortest), longest)
            return Freshness(age: age, lifetime: shortened(left, jitter), grace: grace(terms, hasLife: true))
        }
    }

    /// The times of a tile that its source has just said to be good still, where it said no more than that: those it had
    /// (RFC 9111 4.3.4). Nil where it said more, or where the operator alone decides.
    func renewed(_ held: CachedTile, by terms: SourceTerms) -> Freshness? {
        guard !overridesSource, terms.lifetime == .unsaid else { return nil }
        let lifetime = Int(held.expires.seconds(since: held.born))
        return Freshness(
            age: terms.age, lifetime: min(max(lifetime, shortest), max(longest, shortest)), grace: held.grace)
    }

    /// What the operator alone decides.
    private func own(_ terms: SourceTerms, _ isTile: Bool, _ jitter: Double) -> Freshness {
        let grace = Grace(
            whileRevalidating: staleWhileRevalidate ?? Self.defaultStaleWhileRevalidate,
            ifError: staleIfError ?? Self.defaultStaleIfError)
        return Freshness(
            age: max(terms.age, 0), lifetime: shortened(isTile ? min(timeToLive, longest) : noTileTimeToLive, jitter),
            grace: grace)
    }

    /// The operator's explicit word stands above the source's, which stands above the defaults. A source that forbids the
    /// use of stale tiles is obeyed unless the operator has spoken (RFC 9111 4.2.4).
    private func grace(_ terms: SourceTerms, hasLife: Bool) -> Grace {
        let revalidating = terms.mustRevalidate ? 0 : terms.staleWhileRevalidate
        let error = terms.mustRevalidate ? 0 : terms.staleIfError
        return Grace(
            whileRevalidating: staleWhileRevalidate ?? revalidating
                ?? (hasLife ? Self.defaultStaleWhileRevalidate : 0),
            ifError: staleIfError ?? error ?? Self.defaultStaleIfError)
    }

    private func shortened(_ lifetime: Int, _ jitter: Double) -> Int {
        lifetime - Int(Double(min(lifetime / 10, 3_600)) * jitter)
    }
}

extension Grace {
    /// Seconds, of which negative ones count as none.
    fileprivate init(whileRevalidating: Int, ifError: Int) {
        self.init(whileRevalidating: UInt32(clamping: whileRevalidating), ifError: UInt32(clamping: ifError))
    }
}
