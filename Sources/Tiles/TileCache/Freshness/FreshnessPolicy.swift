import Tiles

/// How long a layer's tiles live: what the operator says, where the source says nothing, and how far the source is believed
/// (RFC 9111 4.2, RFC 5861). All times in whole seconds, 0…2^31.
package struct FreshnessPolicy: Sendable, Hashable {
    /// The life of a tile whose source does not say.
    package var timeToLive: Int
    /// The shortest life of a tile whose source gives it a life at all.
    package var shortest: Int
    /// Whether the operator wrote `shortest` down: then clients may keep a tile for as long too, and a source that forbids
    /// the use of stale tiles has to wait for as long. Else it only spares a source that allows that some questions.
    package var imposesShortest = false
    /// The longest, whatever the source says.
    package var longest: Int
    /// Whether `timeToLive` counts and what the source says does not.
    package var overridesSource = false
    /// The life of "no tile", whatever life the source gives it.
    package var noTileTimeToLive: Int
    /// Whether the operator wrote `noTileTimeToLive` down, so that it holds for clients too, and where the source forbids to keep
    /// anything.
    package var imposesNoTile = false
    /// The operator's word on how long a stale tile may be used; nil: the source's, else the default.
    package var staleWhileRevalidate: Int?
    package var staleIfError: Int?
    /// Where neither the operator nor the source says anything.
    package var defaultStaleWhileRevalidate = 0
    package var defaultStaleIfError = 0
    /// The tiles are made of others, whose life is theirs.
    package var isInherited = false

    /// The policy for tiles that are made of others; "no tile" included.
    package static var inherited: FreshnessPolicy {
        var policy = FreshnessPolicy(timeToLive: 0, shortest: 0, longest: .max, noTileTimeToLive: 0)
        policy.isInherited = true
        return policy
    }

    package init(timeToLive: Int, shortest: Int, longest: Int, noTileTimeToLive: Int) {
        self.timeToLive = timeToLive
        self.shortest = shortest
        self.longest = longest
        self.noTileTimeToLive = noTileTimeToLive
    }

    /// The life of an answer that comes with `terms`; nil where it must not be kept. `jitter` in 0..<1 takes up to a tenth
    /// of what is left of it, at most an hour, so that tiles which came together do not all expire together.
    ///
    /// `held` is the life of the tile that the source has just said to be good still: what the terms do not mention stays
    /// as it was (RFC 9111 4.3.4).
    func life(of terms: SourceTerms, renewing held: TileLife? = nil, isTile: Bool, jitter: Double) -> TileLife? {
        if isInherited { return terms.inherited }
        guard let held, terms.lifetime == .unsaid else { return life(of: terms, isTile, jitter) }
        var terms = terms
        if let stated = held.stated { terms.lifetime = .seconds(Int(stated)) }
        let saysNothing =
            !terms.mustRevalidate && terms.staleWhileRevalidate == nil && terms.staleIfError == nil
        // No longer life than the first time for a source that forbade the use of stale tiles then.
        if saysNothing { terms.mustRevalidate = held.clients.rules.contains(.mustRevalidate) }
        guard var life = life(of: terms, isTile, jitter) else { return nil }
        if saysNothing, !overridesSource {
            life.staleWhileRevalidate = held.staleWhileRevalidate
            life.staleIfError = held.staleIfError
            life.clients = held.clients
        }
        return life
    }

    private func life(of terms: SourceTerms, _ isTile: Bool, _ jitter: Double) -> TileLife? {
        guard !overridesSource else { return own(terms, isTile, jitter) }
        guard isTile else {
            var life = own(terms, isTile, jitter)
            guard !imposesNoTile else { return life }
            // How long it says is seldom meant for an error's page; that nothing is to be kept, is (RFC 9111 5.2.2.5).
            if terms.lifetime == .notStored { return nil }
            life.clients = clients(terms)
            return life
        }
        var life: TileLife
        switch terms.lifetime {
        case .notStored: return nil
        case .unsaid: life = own(terms, isTile, jitter)
        case .seconds(let stated):
            // No life is an order to ask before each use; the least life is for those who give one that is too short.
            let least = terms.mustRevalidate && !imposesShortest ? 0 : shortest
            let left = min(max(stated - min(terms.clampedAge, stated), least), longest)
            life = TileLife(lifetime: stated > 0 ? lifetime(left, terms, jitter) : UInt32(clamping: terms.clampedAge))
            life.stated = UInt32(clamping: stated)
        }
        (life.staleWhileRevalidate, life.staleIfError) = stale(terms, hasLife: life.stated != 0)
        life.clients = clients(terms)
        return life
    }

    /// What clients are told of an answer that comes with `terms`: what the source says, and what the operator wrote down,
    /// but none of the defaults by which this cache goes further than the source does.
    private func clients(_ terms: SourceTerms) -> ClientTerms {
        var clients = ClientTerms()
        switch terms.lifetime {
        case .unsaid: break
        case .notStored: clients.lifetime = 0
        case .seconds(let stated):
            let life = terms.clientLifetime ?? stated
            let (least, isEndless) = terms.clampedAge.addingReportingOverflow(shortest)
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
    private func own(_ terms: SourceTerms, _ isTile: Bool, _ jitter: Double) -> TileLife {
        TileLife(
            lifetime: lifetime(isTile ? min(timeToLive, longest) : noTileTimeToLive, terms, jitter),
            staleWhileRevalidate: UInt32(clamping: staleWhileRevalidate ?? defaultStaleWhileRevalidate),
            staleIfError: UInt32(clamping: staleIfError ?? defaultStaleIfError))
    }

    /// The operator's explicit word stands above the source's, which stands above the defaults. A source that forbids the
    /// use of stale tiles is obeyed unless the operator has spoken (RFC 9111 4.2.4).
    private func stale(_ terms: SourceTerms, hasLife: Bool) -> (whileRevalidating: UInt32, ifError: UInt32) {
        let revalidating = terms.mustRevalidate ? 0 : terms.staleWhileRevalidate
        let error = terms.mustRevalidate ? 0 : terms.staleIfError
        return (
            UInt32(
                clamping: staleWhileRevalidate ?? revalidating ?? (hasLife ? defaultStaleWhileRevalidate : 0)),
            UInt32(clamping: staleIfError ?? error ?? defaultStaleIfError)
        )
    }

    /// The lifetime of which `left` seconds are left, shortened by the jitter.
    private func lifetime(_ left: Int, _ terms: SourceTerms, _ jitter: Double) -> UInt32 {
        let left = left - Int(Double(min(left / 10, 3_600)) * jitter)
        let (sum, isEndless) = terms.clampedAge.addingReportingOverflow(left)
        return isEndless ? .max : UInt32(clamping: sum)
    }
}
