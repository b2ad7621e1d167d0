import RedisClient
import TileCache

/// The round, which runs each second and with each message.
extension FleetNode {
    /// Puts the node's numbers and those of Redis together, applies what others have cleared, and repeats what they do not have.
    /// Returns whether Redis answered. Not to be called by two tasks at once.
    @discardableResult
    package func round() async -> Bool {
        adopt()
        await catchUp()
        let isGood = await talk()
        let now = clock.monotonic()
        note(.talked(isGood: isGood, now: now, date: isGood ? clock.wall() : 0))
        if isGood {
            await perform(.claims(now: clock.monotonic()))
            await sweep(now)
        }
        await perform(.endedRound(isGood: isGood, now: now))
        lookAtPeers()
        await perform(.meets(now: now))
        await save()
        return isGood
    }

    /// Takes the layers as they are served now.
    func adopt() {
        let layers = local.layers()
        // The server goes, or is not there yet.
        guard !layers.isEmpty else { return }
        note(.served(layers))
    }

    private func talk() async -> Bool {
        note(.refused(nil))
        guard await number() else { return false }
        let count = read(\.layers.count)
        let checked = min(max(count / Self.checkTime + 1, Self.leastChecked), FleetRequest.mostRows)
        var next = step(.beganRound(checked: checked, now: clock.monotonic()))
        while case .merge(let request)? = next.first {
            guard let reply = await ask(request) else { return false }
            guard let answer = FleetMerge(reply) else {
                note(.refused("the answer is not from the fleet's script"))
                return false
            }
            guard answer.isSane(now: clock.wall()) else { return refuseClock() }
            await perform(.merged(answer, now: clock.monotonic(), date: clock.wall()))
            next = step(.inForce(hasMore: answer.hasMore))
        }
        return read { $0.round?.isOver == true }
    }

    /// Seconds in which all rows are compared with those of Redis, whatever messages say, and the least of them at once.
    static let checkTime = 30
    static let leastChecked = 64

    /// Numbers of more than ten years ahead: they are not taken, so what others cleared is not known.
    private func refuseClock() -> Bool {
        note(.refused("fleet numbers are ten years ahead: the clock of this machine or of Redis is wrong"))
        return false
    }

    /// Gets numbers for clears and purges that have none; false if Redis does not answer.
    private func number() async -> Bool {
        for part in FleetRequest.parts(of: read(\.unnumbered)) {
            let numbers = await numbers(of: part, name: newName())
            guard numbers.rows.allSatisfy({ $0.number.isSane(now: clock.wall()) }) else { return refuseClock() }
            await perform(.numbered(numbers, date: clock.wall()))
            guard numbers.isWhole else { return false }
        }
        while let (layer, purge) = read(\.waiting.first) {
            let rows = read { $0.rows(of: [layer]) }
            guard let reply = await ask(.purge(name: purge.name, purge.area, isSoft: purge.isSoft, rows)),
                let id = FleetRequest.ids(in: reply)?.first?.id
            else { return false }
            guard FleetHorizon.isSane(id, now: clock.wall()) else { return refuseClock() }
            note(.purgedLater(layer, purge, id, date: clock.wall()))
        }
        return true
    }

    /// Claims the name in Redis, and says when another process does, too.
    func claimName() async {
        let words = ["\(options.prefix):n:\(options.node)", options.instance, "PX", "5000", "GET"]
        guard let reply = try? await redis.send(RedisCommand("SET", words.map { RedisArgument($0) })) else { return }
        switch reply {
        case .bytes(let holder): await perform(.claimed(isForeign: holder != Array(options.instance.utf8)))
        case .null: await perform(.claimed(isForeign: false))
        // Not what this Redis does: nothing is known.
        default: break
        }
    }

    /// Tells Redis which layers this node serves if it is time to. Then, some pages a round, has rows removed of layers that no node has
    /// served for a week.
    private func sweep(_ now: Double) async {
        if case .tell(let names)? = step(.sweeps(now: now)).first {
            for start in stride(from: 0, to: names.count, by: FleetRequest.mostRows) {
                let part = names[start..<min(start + FleetRequest.mostRows, names.count)]
                guard await ask(.sweep(page: nil, Array(part))) != nil else { return }
            }
            note(.swept(Set(names), now: now))
        }
        for _ in 0..<Self.pagesOfRound {
            guard let page = read(\.sweep.page),
                let next = await ask(.sweep(page: page, []))?.text.flatMap({ String(validating: $0, as: UTF8.self) })
            else { return }
            note(.turned(page: next == "0" ? nil : next))
        }
    }

    /// Pages of some 500 rows each.
    private static let pagesOfRound = 4

    func save() async {
        guard let path = options.file else { return }
        // Not each second only for the time.
        let code = await writer.write { [self] in
            read { FleetFile(state: $0, merged: $0.mergeDate / 10 * 10, applied: $0.before) }
        }
        if code != 0 { onEvent(.unwritten(path: path, code: code)) }
    }
}

/// Performs effects.
extension FleetNode {
    /// Takes `input`, and does what follows from it. Actions are queued in the step that decides on them: when this returns they
    /// are in force, and so is all that was decided before. Not to be called by an action. A merge is performed by its round.
    func perform(_ input: FleetState.Input) async {
        let (effects, last) = performing.withLock { performing in
            let effects = step(input)
            performing = queued(effects.actions, behind: performing)
            return (effects, performing)
        }
        for effect in effects {
            switch effect {
            case .act: await last?.value
            case .claim: await claimName()
            case .log(let event): onEvent(event)
            case .doubt(let seconds): local.doubt(olderThan: seconds)
            case .share(let servers): local.share(among: servers)
            case .meet(let urls):
                Task {
                    await caller?.meet(urls) { [self] in hear($0) }
                    lookAtPeers()
                }
            case .send(let items):
                Task {
                    await send(items)
                    note(.repeated)
                }
            case .merge, .tell: break
            }
        }
    }

    /// Does `actions` behind `earlier`.
    private func queued(_ actions: [FleetState.Action], behind earlier: Task<Void, Never>?) -> Task<Void, Never>? {
        guard !actions.isEmpty else { return earlier }
        return Task {
            await earlier?.value
            // Clears first: with its layers a map may come to the generation that others have by itself.
            await raise(actions, isClear: true)
            await advance(actions)
            await performAtOnce(actions.filter(\.isOfTiles))
            await raise(actions, isClear: false)
        }
    }

    /// All layers together, since what a server does for a clear of many is little more than for one.
    private func raise(_ actions: [FleetState.Action], isClear: Bool) async {
        let generations = actions.generations(isClear: isClear)
        if !generations.isEmpty { await local.raise(generations, isClear: isClear) }
    }

    private func advance(_ actions: [FleetState.Action]) async {
        let layers = Set(actions.compactMap { if case .advance(let layer) = $0 { layer } else { nil } })
        guard !layers.isEmpty else { return }
        let generations = await local.advance(Array(layers))
        note(.clearedAlone(generations))
        wake()
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
        case .raise, .advance: break
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
}

extension [FleetState.Action] {
    /// The generations that layers are to have.
    func generations(isClear: Bool) -> [String: UInt32] {
        reduce(into: [:]) { all, action in
            guard case .raise(let layer, let generation, isClear) = action else { return }
            all[layer] = Swift.max(all[layer] ?? 0, generation)
        }
    }
}

extension FleetState.Action {
    var layer: String {
        switch self {
        case .raise(let layer, _, _), .advance(let layer), .purge(let layer, _, _), .removeAll(let layer, _): layer
        }
    }

    /// This action without a line in the log, for a node that has no tiles yet.
    var ofNothing: FleetState.Action {
        if case .removeAll(let layer, .missed) = self { .removeAll(layer, .cleared) } else { self }
    }

    fileprivate var isOfTiles: Bool {
        switch self {
        case .raise, .advance: false
        case .purge, .removeAll: true
        }
    }
}
