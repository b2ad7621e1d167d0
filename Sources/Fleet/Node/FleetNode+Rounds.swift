import RedisClient
import TileCache

/// What happens each second, and with each message.
extension FleetNode {
    /// Puts the node's numbers and those of Redis together, applies what others have cleared, and repeats what they do not have.
    /// Returns whether Redis answered. Not to be called by two tasks at once.
    @discardableResult
    package func round() async -> Bool {
        adopt()
        let isGood = await talk()
        let now = clock.monotonic()
        if isGood {
            state.withLock { state in
                state.merged = now
                state.mergedWall = clock.wall()
            }
        }
        judgeLease(now)
        shareOut()
        repeatMessages(now)
        await save()
        return isGood
    }

    /// Takes the layers as they are served now.
    func adopt() {
        let layers = local.layers()
        state.withLock { state in
            for (name, layer) in layers {
                state.fleet.add(name, generation: layer.generation, isProvisional: layer.isProvisional)
            }
            state.fleet.retain { layers[$0] != nil }
        }
    }

    private func talk() async -> Bool {
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
        guard let reply = await ask(.merge(after: after, about: options.about, rows)), let answer = FleetMerge(reply)
        else { return false }
        let actions = state.withLock { state in
            state.nodes = answer.nodes.filter { $0.name != options.node }
            return state.fleet.merged(
                answer, asked: rows, sent: sent, now: clock.wall(), busy: Set(state.busy.keys))
        }
        await perform(actions)
        return true
    }

    /// What was cleared and purged without numbers gets them; false where Redis does not answer.
    private func number() async -> Bool {
        let layers = state.withLock { $0.fleet.unnumbered }
        for start in stride(from: 0, to: layers.count, by: FleetRequest.mostRows) {
            let part = Array(layers[start..<min(start + FleetRequest.mostRows, layers.count)])
            let rows = state.withLock { $0.fleet.rows(of: part) }
            guard let reply = await ask(.clear(name: name(), rows)), let numbers = FleetRequest.numbers(in: reply)
            else {
                return false
            }
            for row in numbers {
                let generation = state.withLock { state in
                    state.note(row.number.clear, ofClear: row.layer)
                    return state.fleet.cleared(
                        row.layer, generation: row.number.generation, row.number.clear, now: clock.wall())
                }
                if let generation { await local.raise(row.layer, to: generation, isClear: true) }
            }
        }
        while let (layer, purge) = state.withLock({ $0.fleet.waiting.first }) {
            let rows = state.withLock { $0.fleet.rows(of: [layer]) }
            guard let reply = await ask(.purge(name: purge.name, purge.area, isSoft: purge.isSoft, rows)),
                let id = FleetRequest.ids(in: reply)?.first?.id
            else { return false }
            state.withLock { state in
                state.note(id, of: "\(purge.name).\(layer)")
                state.fleet.numbered(layer, purge, id, now: clock.wall())
            }
        }
        return true
    }

    // MARK: What follows

    /// Clears first: with its layers a map may come to the generation that others have by itself.
    func perform(_ actions: [FleetState.Action]) async {
        await performAtOnce(actions.filter(\.isClear))
        await performAtOnce(actions.filter { !$0.isClear })
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
    private func shareOut() {
        let servers = redis.isAvailable ? 1 : state.withLock { $0.nodes.count { $0.age < Self.presence } } + 1
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
        let file = state.withLock { FleetFile(state: $0.fleet, merged: $0.mergedWall / 10 * 10) }
        let code = await writer.write(file)
        if code != 0 { onEvent(.unwritten(path: path, code: code)) }
    }
}

extension FleetState.Action {
    var layer: String {
        switch self {
        case .raise(let layer, _, _), .advance(let layer), .purge(let layer, _, _), .removeAll(let layer, _): layer
        }
    }

    fileprivate var isClear: Bool {
        if case .raise(_, _, isClear: false) = self { false } else { true }
    }
}
