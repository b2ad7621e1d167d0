import RedisClient
import TileCache

/// A round is one exchange between this node and Redis. It runs each second, and also soon after a message arrives.
extension FleetNode {
    /// Runs one round: exchanges the numbers of layers with Redis, applies clears of other nodes, and sends messages
    /// again that other nodes lack. Returns true if Redis gave valid answers, and the exchange is complete. Two tasks
    /// must not call this function at the same time.
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

    /// Updates the layers to the layers that are served now.
    func adopt() {
        let layers = local.layers()
        // The server is closing, or has not started yet.
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

    /// Seconds in which each row is compared with Redis at least once, even without messages. Beyond 15,000 rows this
    /// takes longer. `leastChecked` is the minimum number of rows in one comparison.
    static let checkTime = 30
    static let leastChecked = 64

    /// Records that numbers lie more than ten years ahead. This node ignores them, so it does not know what other nodes
    /// have cleared.
    private func refuseClock() -> Bool {
        note(.refused("fleet numbers are ten years ahead: the clock of this machine or of Redis is wrong"))
        return false
    }

    /// Asks Redis for numbers of clears and purges that have none, for example because Redis did not answer. Returns
    /// false if Redis gives no valid numbers.
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

    /// Claims the name in Redis, and records whether another process holds it.
    func claimName() async {
        let words = ["\(options.prefix):n:\(options.node)", options.instance, "PX", "5000", "GET"]
        guard let reply = try? await redis.send(RedisCommand("SET", words.map { RedisArgument($0) })) else { return }
        switch reply {
        case .bytes(let holder): await perform(.claimed(isForeign: holder != Array(options.instance.utf8)))
        case .null: await perform(.claimed(isForeign: false))
        // Ignores any other reply: it tells nothing about the name.
        default: break
        }
    }

    /// Removes the rows of old layers from Redis, a few pages in each round. Once an hour, and after layers were added,
    /// the node tells Redis which layers it serves. Redis removes the row of a layer that no node has served for more
    /// than a week.
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

    /// Maximum number of pages in a round. A page has about 500 rows.
    private static let pagesOfRound = 4

    func save() async {
        guard let path = options.file else { return }
        // Rounds the time down to ten seconds, so that the time alone does not cause a write each second.
        let code = await writer.write { [self] in
            read { FleetFile(state: $0, merged: $0.mergeDate / 10 * 10, applied: $0.before) }
        }
        if code != 0 { onEvent(.unwritten(path: path, code: code)) }
    }
}

/// Performs the effects that the state of the node returns.
extension FleetNode {
    /// Applies `input` to the state, and performs the resulting effects. If an effect is `.act`, returns when its
    /// actions and all earlier actions are in force. Actions run in the order of their inputs, because one lock guards
    /// both the state change and the queue.
    ///
    /// An action must not call this function, because the action would wait for itself. Merges are performed by the
    /// round.
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

    /// Starts a task for `actions`, which begins when the task `earlier` has ended. Returns the task that ends last.
    private func queued(_ actions: [FleetState.Action], behind earlier: Task<Void, Never>?) -> Task<Void, Never>? {
        guard !actions.isEmpty else { return earlier }
        return Task {
            await earlier?.value
            // Clears come first: a clear of layers may raise the generation of their map, and the map then needs no
            // clear of its own.
            await raise(actions, isClear: true)
            await advance(actions)
            await performAtOnce(actions.filter(\.isOfTiles))
            await raise(actions, isClear: false)
        }
    }

    /// Raises all layers in one call: for a server, clearing many layers costs little more than clearing one.
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

    /// Performs actions of different layers at the same time, because each may wait for the disk.
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
    /// Returns the greatest new generation of each layer. `isClear` selects clears or other raises.
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

    /// The action without a log line about missed purges, for a node that has no tiles yet.
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
