import Tiles

/// Decides how long a tile of a layer stays fresh. The decision combines the operator's settings with the terms of the
/// source, such as its `Cache-Control` field (RFC 9111 4.2, RFC 5861). All times are whole seconds, 0…2^31, except
/// `longest` in `inherited`.
package struct FreshnessPolicy: Sendable, Hashable {
    /// The lifetime of a tile if its source gives none, or if `overridesSource` is true. At most `longest`.
    package var timeToLive: Int
    /// Minimum lifetime of a tile from its arrival if its source gives a lifetime above 0.
    package var shortest: Int
    /// True if the operator has set `shortest`. Then `shortest` also applies to clients, and to sources that forbid
    /// stale tiles. If false, `shortest` applies only to this cache, and only if the source allows stale tiles.
    package var imposesShortest = false
    /// Maximum lifetime of a tile from its arrival, whatever the source says. Not used for "no tile", and not for the
    /// lifetime that clients are told.
    package var longest: Int
    /// True if the operator's settings replace all lifetimes of the source, and its order not to store the tile.
    package var overridesSource = false
    /// The lifetime of "no tile", even if the source gives another one.
    package var noTileTimeToLive: Int
    /// True if the operator has set `noTileTimeToLive`. Then it also applies to clients, and even if the source forbids
    /// to keep the answer.
    package var imposesNoTile = false
    /// The operator's time for serving a stale tile during its revalidation. Nil if the operator has set none.
    package var staleWhileRevalidate: Int?
    package var staleIfError: Int?
    /// Default if neither the operator nor the source gives a time.
    package var defaultStaleWhileRevalidate = 0
    package var defaultStaleIfError = 0
    /// True if the tiles are made from other tiles and inherit their lifetimes.
    package var isInherited = false

    /// The policy for tiles that are made from other tiles, including "no tile".
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

    /// Returns the lifetime of an answer that came with `terms`. Returns nil if the answer must not be kept.
    ///
    /// The remaining lifetime becomes shorter by up to a tenth, but at most one hour, so that tiles fetched together
    /// expire at different times. `jitter` in 0..<1 selects how much. After a revalidation, `held` is the tile's
    /// lifetime before. If `terms` gives no lifetime, the source's earlier lifetime applies again. If `terms` does not
    /// mention stale tiles either, the times for stale tiles and the terms for clients stay unchanged (RFC 9111 4.3.4),
    /// unless `overridesSource` is true.
    func life(of terms: SourceTerms, renewing held: TileLife? = nil, isTile: Bool, jitter: Double) -> TileLife? {
        if isInherited { return terms.inherited }
        guard let held, terms.lifetime == .unsaid else { return life(of: terms, isTile, jitter) }
        var terms = terms
        if let stated = held.stated { terms.lifetime = .seconds(Int(stated)) }
        let saysNothing =
            !terms.mustRevalidate && terms.staleWhileRevalidate == nil && terms.staleIfError == nil
        // If the source forbade stale tiles before, the lifetime does not become longer now.
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
            // The lifetime of an error page is seldom meant for the missing tile, so it is ignored. The source's order
            // not to store the answer is obeyed (RFC 9111 5.2.2.5).
            if terms.lifetime == .notStored { return nil }
            life.clients = clients(terms)
            return life
        }
        var life: TileLife
        switch terms.lifetime {
        case .notStored: return nil
        case .unsaid: life = own(terms, isTile, jitter)
        case .seconds(let stated):
            // A lifetime of 0 asks for revalidation before each use. The minimum is for sources with too short
            // lifetimes.
            let least = terms.mustRevalidate && !imposesShortest ? 0 : shortest
            let left = min(max(stated - min(terms.clampedAge, stated), least), longest)
            life = TileLife(lifetime: stated > 0 ? lifetime(left, terms, jitter) : UInt32(clamping: terms.clampedAge))
            life.stated = UInt32(clamping: stated)
        }
        (life.staleWhileRevalidate, life.staleIfError) = stale(terms, hasLife: life.stated != 0)
        life.clients = clients(terms)
        return life
    }

    /// Returns the terms for clients, from the terms of the source and the explicit settings of the operator. Some
    /// defaults let this cache keep a tile for longer than the source says. These defaults do not apply to clients.
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

    /// Returns the lifetime by the operator's settings. The lifetime counts from the arrival of the tile.
    private func own(_ terms: SourceTerms, _ isTile: Bool, _ jitter: Double) -> TileLife {
        TileLife(
            lifetime: lifetime(isTile ? min(timeToLive, longest) : noTileTimeToLive, terms, jitter),
            staleWhileRevalidate: UInt32(clamping: staleWhileRevalidate ?? defaultStaleWhileRevalidate),
            staleIfError: UInt32(clamping: staleIfError ?? defaultStaleIfError))
    }

    /// Returns the times for serving stale tiles. The operator's explicit settings take precedence over the source, and
    /// the source over the defaults. If the source gives the lifetime 0, the default for the time of a revalidation is
    /// 0. A source that forbids stale tiles is obeyed unless the operator has set a time (RFC 9111 4.2.4).
    private func stale(_ terms: SourceTerms, hasLife: Bool) -> (whileRevalidating: UInt32, ifError: UInt32) {
        let revalidating = terms.mustRevalidate ? 0 : terms.staleWhileRevalidate
        let error = terms.mustRevalidate ? 0 : terms.staleIfError
        return (
            UInt32(
                clamping: staleWhileRevalidate ?? revalidating ?? (hasLife ? defaultStaleWhileRevalidate : 0)),
            UInt32(clamping: staleIfError ?? error ?? defaultStaleIfError)
        )
    }

    /// Returns the total lifetime of a tile with `left` seconds left, shortened by the jitter.
    private func lifetime(_ left: Int, _ terms: SourceTerms, _ jitter: Double) -> UInt32 {
        let left = left - Int(Double(min(left / 10, 3_600)) * jitter)
        let (sum, isEndless) = terms.clampedAge.addingReportingOverflow(left)
        return isEndless ? .max : UInt32(clamping: sum)
    }
}
