import Tiles

/// How long a layer's tiles live: what the operator says, where the source says nothing, and how far the source is believed
/// (RFC 9111 4.2, RFC 5861). All times in whole seconds, 0…2^31.
public struct FreshnessPolicy: Sendable, Hashable {
    /// The life of a tile whose source does not say.
    public var timeToLive: Int
    /// The shortest life of a tile whose source gives it a life at all.
    public var shortest: Int
    /// Whether the operator wrote `shortest` down: then clients may keep a tile for as long too, and a source that forbids
    /// the use of stale tiles has to wait for as long. Else it only spares a source that allows that some questions.
    public var imposesShortest = false
    /// The longest, whatever the source says.
    public var longest: Int
    /// Whether `timeToLive` counts and what the source says does not.
    public var overridesSource = false
    /// The life of "no tile", whatever the source says.
    public var noTileTimeToLive: Int
    /// Whether the operator wrote `noTileTimeToLive` down, so that it holds for clients too.
    public var imposesNoTile = false
    /// The operator's word on how long a stale tile may be used; nil: the source's, else the default.
    public var staleWhileRevalidate: Int?
    public var staleIfError: Int?
    /// Where neither the operator nor the source says anything.
    public var defaultStaleWhileRevalidate = 60
    public var defaultStaleIfError = 7 * 86_400
    /// The tiles are made of others, whose times, judged already, are theirs: `lifetime` is what is left of it.
    public var isInherited = false

    /// The policy for tiles that are made of others; "no tile" included.
    public static var inherited: FreshnessPolicy {
        var policy = FreshnessPolicy(timeToLive: 0, shortest: 0, longest: .max, noTileTimeToLive: 0)
        policy.isInherited = true
        return policy
    }

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
        var clients = ClientTerms()
        /// Seconds of life that the source gave it, counted from its birth; nil where the source gave none.
        var said: UInt32?
    }

    /// The times of an answer that comes with `terms`; nil where it must not be kept. `jitter` in 0..<1 takes up to a tenth
    /// of the life, at most an hour, so that tiles which came together do not all expire together.
    ///
    /// `held` is the tile that the source has just said to be good still: what the terms do not mention stays as it was
    /// (RFC 9111 4.3.4).
    func freshness(
        of terms: SourceTerms, renewing held: CachedTile? = nil, isTile: Bool, jitter: Double
    ) -> Freshness? {
        if isInherited { return inherited(terms) }
        guard let held, terms.lifetime == .unsaid else { return freshness(of: terms, isTile, jitter) }
        var terms = terms
        if let life = held.life { terms.lifetime = .seconds(Int(life)) }
        let saysNothing =
            !terms.mustRevalidate && terms.staleWhileRevalidate == nil && terms.staleIfError == nil
        // No longer life than the first time for a source that forbade the use of stale tiles then.
        if saysNothing { terms.mustRevalidate = held.clients.rules.contains(.mustRevalidate) }
        var freshness = freshness(of: terms, isTile, jitter)
        if saysNothing, !overridesSource {
            freshness?.grace = held.grace
            freshness?.clients = held.clients
        }
        return freshness
    }

    private func freshness(of terms: SourceTerms, _ isTile: Bool, _ jitter: Double) -> Freshness? {
        guard !overridesSource else { return own(terms, isTile, jitter) }
        guard isTile else {
            var freshness = own(terms, isTile, jitter)
            if !imposesNoTile { freshness.clients = clients(terms) }
            return freshness
        }
        switch terms.lifetime {
        case .notStored: return nil
        case .unsaid:
            var freshness = own(terms, isTile, jitter)
            freshness.grace = grace(terms, hasLife: true)
            freshness.clients = clients(terms)
            return freshness
        case .seconds(let said):
            // A layer of somebody's own may say what it likes: no difference overflows.
            let age = max(terms.age, 0)
            // No life is an order to ask before each use; the least life is for those who give one that is too short.
            let least = terms.mustRevalidate && !imposesShortest ? 0 : shortest
            let left = said > 0 ? shortened(min(max(said - min(age, said), least), longest), jitter) : 0
            return Freshness(
                age: age, lifetime: left, grace: grace(terms, hasLife: said > 0), clients: clients(terms),
                said: UInt32(clamping: said))
        }
    }

    private func inherited(_ terms: SourceTerms) -> Freshness? {
        guard case .seconds(let left) = terms.lifetime else { return nil }
        let grace = Grace(
            whileRevalidating: terms.staleWhileRevalidate ?? 0, ifError: terms.staleIfError ?? 0)
        return Freshness(
            age: terms.age, lifetime: left, grace: grace, clients: terms.clients ?? ClientTerms(),
            said: terms.isStated ? UInt32(clamping: left) : nil)
    }

    /// What clients are told of an answer that comes with `terms`: what the source says, and what the operator wrote down,
    /// but none of the defaults by which this cache goes further than the source does.
    private func clients(_ terms: SourceTerms) -> ClientTerms {
        var clients = ClientTerms()
        switch terms.lifetime {
        case .unsaid: break
        case .notStored: clients.lifetime = 0
        case .seconds(let said):
            let life = terms.clientLifetime ?? said
            let (least, isEndless) = max(terms.age, 0).addingReportingOverflow(shortest)
            let isLengthened = imposesShortest && life > 0
            clients.lifetime = UInt32(clamping: isLengthened ? max(life, isEndless ? .max : least) : life)
        }
        guard terms.lifetime != .unsaid || terms.mustRevalidate else { return clients }
        if terms.mustRevalidate { clients.rules.insert(.mustRevalidate) }
        if staleWhileRevalidate == nil, terms.staleWhileRevalidate == nil {
            clients.rules.insert(.withoutStaleWhileRevalidate)
        }
        if staleIfError == nil, terms.staleIfError == nil { clients.rules.insert(.withoutStaleIfError) }
        return clients
    }

    /// What the operator alone decides.
    private func own(_ terms: SourceTerms, _ isTile: Bool, _ jitter: Double) -> Freshness {
        let grace = Grace(
            whileRevalidating: staleWhileRevalidate ?? defaultStaleWhileRevalidate,
            ifError: staleIfError ?? defaultStaleIfError)
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
                ?? (hasLife ? defaultStaleWhileRevalidate : 0),
            ifError: staleIfError ?? error ?? defaultStaleIfError)
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
