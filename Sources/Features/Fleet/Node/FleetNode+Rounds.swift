import RedisClient
import TileCache

/// What happens each second, and with each message.
extension FleetNode {
    /// Puts the node's numbers and those of Redis together, applies what others have cleared, and repeats what they do not have.
    /// Returns whether Redis answered. Not to be called by two tasks at once.
    @discardableResult
    package func round() async -> Bool {
        adopt()
        await catchUp()
        let isGood = await talk()
        let now = clock.monotonic()
        state.withLock { state in
            state.isHeard = isGood
            guard isGood else { return }
            state.merged = now
            state.mergedWall = clock.wall()
        }
        if isGood { await claimName() }
        if isGood { await sweep(now) }
        judgeRefusal(isGood)
        judgeLease(now)
        shareOut(isGood)
        repeatMessages(now)
        meetPeers(now)
        await save()
        return isGood
    }

    /// Takes the layers as they are served now.
    func adopt() {
        let layers = local.layers()
        // The server goes, or is not there yet.
        guard !layers.isEmpty else { return }
        state.withLock { state in
            for (name, layer) in layers {
                state.fleet.add(name, generation: layer.generation, isProvisional: layer.isProvisional)
            }
            state.fleet.retain { layers[$0] != nil }
        }
    }

    private func talk() async -> Bool {
        state.withLock { $0.refusal = nil }
        guard await number() else { return false }
        let now = clock.monotonic()
        var (round, most) = state.withLock { state in
            let count = state.fleet.layers.count
            let isDue = now - state.checked >= Self.period * 0.9
            if isDue { state.checked = now }
            let checked = min(max(count / Self.checkTime + 1, Self.leastChecked), FleetRequest.mostRows)
            let round = FleetRound(
                &state.fleet, isLate: now - state.merged > Self.late, checked: isDue ? checked : 0)
            return (round, Self.mostPasses + 2 * count / FleetRequest.mostRows)
        }
        while !round.isOver, most > 0 {
            most -= 1
            guard let hasMore = await merge(round) else { return false }
            state.withLock { round.advance(&$0.fleet, hasMore: hasMore, busy: Set($0.busy.keys)) }
        }
        return round.isOver
    }

    private static let mostPasses = 64

    /// Returns whether there are more messages; nil where Redis does not answer.
    private func merge(_ round: FleetRound) async -> Bool? {
        let (after, sent) = state.withLock { ($0.fleet.position, $0.fleet.sent) }
        let request = FleetRequest.merge(after: after, applied: round.applied, about: options.version, round.rows)
        guard let reply = await ask(request) else { return nil }
        guard let answer = FleetMerge(reply) else {
            refuse("no answer of the fleet's script")
            return nil
        }
        guard answer.isSane(now: clock.wall()) else {
            refuseClock()
            return nil
        }
        let actions = state.withLock { state in
            let others = answer.nodes.filter { $0.name != options.node }
            state.meet(others, isEmptied: after != nil && answer.step == .lost, clock.monotonic())
            let before = state.fleet
            let actions = state.fleet.merged(
                answer, asked: round.rows, sent: sent, now: clock.wall(), node: options.node, busy: Set(state.busy.keys)
            )
            // Until it is done the state file says what was before.
            if !actions.isEmpty { state.applied = FleetFile.Applied(before) }
            // Who begins with nothing has missed nothing.
            return after == nil && !options.hasDisk ? actions.map(\.ofNothing) : actions
        }
        await perform(actions)
        state.withLock { $0.applied = nil }
        return answer.hasMore
    }

    /// Numbers of more than ten years ahead: they are not taken, so what others cleared is not known.
    private func refuseClock() {
        refuse("numbers ten years ahead: the clock of this machine or of Redis' is wrong")
    }

    /// What was cleared and purged without numbers gets them; false where Redis does not answer.
    private func number() async -> Bool {
        for part in FleetRequest.parts(of: state.withLock { $0.fleet.unnumbered }) {
            let numbers = await numbers(of: part, name: newName())
            guard numbers.rows.allSatisfy({ $0.number.isSane(now: clock.wall()) }) else {
                refuseClock()
                return false
            }
            let generations = state.withLock { $0.cleared(numbers, now: clock.wall()) }
            if !generations.isEmpty { await local.raise(generations, isClear: true) }
            guard numbers.isWhole else { return false }
        }
        while let (layer, purge) = state.withLock({ $0.fleet.waiting.first }) {
            let rows = state.withLock { $0.fleet.rows(of: [layer]) }
            guard let reply = await ask(.purge(name: purge.name, purge.area, isSoft: purge.isSoft, rows)),
                let id = FleetRequest.ids(in: reply)?.first?.id
            else { return false }
            guard FleetHorizon.isSane(id, now: clock.wall()) else {
                refuseClock()
                return false
            }
            state.withLock { state in
                state.note(id, of: "\(purge.name).\(layer)")
                state.fleet.numbered(layer, purge, id, now: clock.wall())
            }
        }
        return true
    }

    /// Says once why a Redis that is there is of no use, and once that it is again.
    private func judgeRefusal(_ isGood: Bool) {
        let news = state.withLock { state -> FleetEvent? in
            if isGood, state.isRefused {
                state.isRefused = false
                return .refused(why: nil)
            }
            guard !isGood, !state.isRefused, let why = state.refusal else { return nil }
            state.isRefused = true
            return .refused(why: why)
        }
        if let news { onEvent(news) }
    }

    /// Where nobody was heard for too long, tiles may have been cleared.
    private func judgeLease(_ now: Double) {
        let (isInLease, isNew, lag) = state.withLock { state in
            let lag = now - state.merged
            let isInLease = lag > options.lease
            defer { state.isInLease = isInLease }
            return (isInLease, isInLease != state.isInLease, lag)
        }
        // Also where the doubt is that of the start, which the log was not told of.
        local.doubt(olderThan: isInLease ? options.lease : nil)
        if isNew { onEvent(.lease(isOver: !isInLease, seconds: Int(min(max(lag, 0), 1e9)))) }
    }

    /// Without Redis each node asks a source anew for what another has: together no more than before.
    private func shareOut(_ isHeard: Bool) {
        let servers = isHeard ? 1 : state.withLock { $0.nodes.count { $0.age < Self.presence } } + 1
        let isNew = state.withLock { state in
            defer { state.servers = servers }
            return state.servers != servers
        }
        if isNew { local.share(among: servers) }
    }

    /// Seconds: a node that has asked Redis since counts for the share.
    private static let presence = 10.0

    func save() async {
        guard let path = options.file else { return }
        // Not each second only for the time.
        let code = await writer.write { [self] in
            state.withLock { FleetFile(state: $0.fleet, merged: $0.mergedWall / 10 * 10, applied: $0.applied) }
        }
        if code != 0 { onEvent(.unwritten(path: path, code: code)) }
    }
}
