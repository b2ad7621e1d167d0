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
        // The position that others see is of what is applied: once more behind each message.
        for _ in 0..<Self.mostPasses {
            let before = state.withLock { $0.fleet.position }
            for rows in state.withLock({ $0.fleet.rows() }) {
                guard await merge(rows) else { return false }
            }
            if state.withLock({ $0.fleet.position }) == before { break }
        }
        return true
    }

    private static let mostPasses = 64

    private func merge(_ rows: [FleetRequest.Row]) async -> Bool {
        let (after, sent) = state.withLock { ($0.fleet.position, $0.fleet.sent) }
        guard let reply = await ask(.merge(after: after, about: options.about, rows)) else { return false }
        guard let answer = FleetMerge(reply) else {
            refuse("no answer of the fleet's script")
            return false
        }
        guard answer.isSane(now: clock.wall()) else { return refuseClock() }
        let actions = state.withLock { state in
            let others = answer.nodes.filter { $0.name != options.node }
            state.meet(others, isEmptied: after.map { $0 > answer.last } ?? false, clock.monotonic())
            let before = state.fleet
            let actions = state.fleet.merged(
                answer, asked: rows, sent: sent, now: clock.wall(), node: options.node, busy: Set(state.busy.keys))
            // Until it is done the state file says what was before.
            if !actions.isEmpty { state.applied = FleetFile.Applied(before) }
            // Who begins with nothing has missed nothing.
            return after == nil && !options.hasDisk ? actions.map(\.ofNothing) : actions
        }
        await perform(actions)
        state.withLock { $0.applied = nil }
        return true
    }

    /// Numbers of more than ten years ahead: they are not taken, so what others cleared is not known.
    private func refuseClock() -> Bool {
        refuse("numbers ten years ahead: the clock of this machine or of Redis' is wrong")
        return false
    }

    /// What was cleared and purged without numbers gets them; false where Redis does not answer.
    private func number() async -> Bool {
        let layers = state.withLock { $0.fleet.unnumbered }
        for start in stride(from: 0, to: layers.count, by: FleetRequest.mostRows) {
            let part = Array(layers[start..<min(start + FleetRequest.mostRows, layers.count)])
            let (rows, counts) = state.withLock { ($0.fleet.rows(of: part), $0.fleet.aloneCounts) }
            guard let reply = await ask(.clear(name: name(), rows)), let numbers = FleetRequest.numbers(in: reply)
            else {
                return false
            }
            guard numbers.allSatisfy({ $0.number.isSane(now: clock.wall()) }) else { return refuseClock() }
            for row in numbers {
                let generation = state.withLock { state in
                    state.cleared(row, asked: counts[row.layer], now: clock.wall())
                }
                if let generation { await local.raise(row.layer, to: generation, isClear: true) }
            }
        }
        while let (layer, purge) = state.withLock({ $0.fleet.waiting.first }) {
            let rows = state.withLock { $0.fleet.rows(of: [layer]) }
            guard let reply = await ask(.purge(name: purge.name, purge.area, isSoft: purge.isSoft, rows)),
                let id = FleetRequest.ids(in: reply)?.first?.id
            else { return false }
            guard FleetHorizon.isSane(id, now: clock.wall()) else { return refuseClock() }
            state.withLock { state in
                state.note(id, of: "\(purge.name).\(layer)")
                state.fleet.numbered(layer, purge, id, now: clock.wall())
            }
        }
        return true
    }

    // MARK: What follows

    /// Does what was decided, behind what is being done: when it returns all of it is in force, also what another task was told of
    /// before. Not to be called by an action.
    func perform(_ actions: [FleetState.Action]) async {
        let last = state.withLock { state in
            guard !actions.isEmpty else { return state.performing }
            let before = state.performing
            let task = Task {
                await before?.value
                // Clears first: with its layers a map may come to the generation that others have by itself.
                await performAtOnce(actions.filter(\.isClear))
                await performAtOnce(actions.filter { !$0.isClear })
            }
            state.performing = task
            return task
        }
        await last?.value
    }

    /// Layers at the same time, since each may have to wait for the disk.
    private func performAtOnce(_ actions: [FleetState.Action]) async {
        guard !actions.isEmpty else { return }
        await withTaskGroup { group in
            for (layer, actions) in Dictionary(grouping: actions, by: \.layer) {
                group.addTask { for action in actions { await self.perform(action, layer) } }
            }
        }
    }

    private func perform(_ action: FleetState.Action, _ layer: String) async {
        switch action {
        case .raise(_, let generation, let isClear): await local.raise(layer, to: generation, isClear: isClear)
        case .advance:
            guard let generation = await local.advance(layer) else { return }
            state.withLock { $0.fleet.clearedAlone(layer, generation: generation) }
            wake()
        case .purge(_, let area, let isSoft): await local.purge(layer, area, isSoft: isSoft)
        case .removeAll(_, let reason):
            switch reason {
            case .missed: onEvent(.missed(layer: layer))
            case .forked: onEvent(.forked(layer: layer))
            case .cleared: break
            }
            await local.purge(layer, .everything, isSoft: false)
        }
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

extension FleetState.Action {
    var layer: String {
        switch self {
        case .raise(let layer, _, _), .advance(let layer), .purge(let layer, _, _), .removeAll(let layer, _): layer
        }
    }

    /// The same at a node that has nothing yet, of which nothing is to be said.
    fileprivate var ofNothing: FleetState.Action {
        if case .removeAll(let layer, .missed) = self { .removeAll(layer, .cleared) } else { self }
    }

    fileprivate var isClear: Bool {
        if case .raise(_, _, isClear: false) = self { false } else { true }
    }
}
