import TileCache

/// Who has what was cleared here.
extension FleetNode {
    /// What is known of the fleet.
    package struct Report: Sendable {
        package let node: String
        /// The others, by name.
        package let others: [Other]
        package let isRedisUp: Bool
        /// Seconds since Redis answered a merge.
        package let lag: Double
        package let isInLease: Bool
        /// Clears and purges that not all nodes have.
        package let unreached: Int
        /// Layers that wait for numbers.
        package let unnumbered: Int

        package struct Other: Sendable {
            package let name: String
            /// Seconds since Redis, or this node, heard of it.
            package let age: Double
            package let version: String?
        }
    }

    package func report() -> Report {
        let now = clock.monotonic()
        return state.withLock { state in
            let seen = state.nodes.filter { !state.isGone($0.name, now) }.map {
                Report.Other(name: $0.name, age: $0.age + max(now - state.merged, 0), version: $0.about)
            }
            let heard = state.heard.filter { name, _ in
                !seen.contains { $0.name == name } && !state.isGone(name, now)
            }.map { Report.Other(name: $0.key, age: max(now - $0.value, 0), version: nil) }
            return Report(
                node: options.node, others: (seen + heard).sorted { $0.name < $1.name },
                isRedisUp: redis.isAvailable && state.isHeard, lag: max(now - state.merged, 0),
                isInLease: state.isInLease, unreached: state.outstanding.count,
                unnumbered: state.fleet.layers.count { !$0.value.isShared })
        }
    }

    /// As `waitForOthers(_:until:)`. A node that does not serve one of `layers` counts as not reached, and nobody waits for it.
    func waitForOthers(_ number: Int, of layers: [String], until end: Double) async -> FleetReach {
        let reach = await waitForOthers(number, until: end)
        let absent = lacking(layers)
        guard !absent.isEmpty else { return reach }
        let now = clock.monotonic()
        return state.withLock { state in
            let others = state.others(now)
            let holders = state.outstanding.first { $0.number == number }.map { state.holders(of: $0) } ?? others
            return FleetReach(
                nodes: reach.nodes, reached: reach.reached - absent.intersection(holders.intersection(others)).count)
        }
    }

    /// Returns as soon as all nodes have what is outstanding under `number`, or all nodes that lack it are down, and at `end` at the
    /// latest.
    private func waitForOthers(_ number: Int, until end: Double) async -> FleetReach {
        var told: Double?
        while true {
            lookAtPeers()
            let now = clock.monotonic()
            let (item, reach) = state.withLock { state -> (Outstanding?, FleetReach) in
                guard let item = state.outstanding.first(where: { $0.number == number }) else {
                    let all = state.count(now)
                    return (nil, FleetReach(nodes: all, reached: all))
                }
                return (item, state.reach(of: item, now))
            }
            guard let item, reach.reached < reach.nodes, now < end else {
                if reach.reached >= reach.nodes { state.withLock { $0.outstanding.removeAll { $0.number == number } } }
                return reach
            }
            // By the stream it takes milliseconds: who has not got it by then may not hear Redis.
            if told == nil, item.last == nil || now - item.began > item.patience {
                told = now
                tell(number)
            }
            let recently = told.flatMap { now - $0 < Self.brief ? $0 : nil }
            // Repetitions reach the nodes that are down.
            guard state.withLock({ $0.mayBeTaken(item, told: recently, now) }) else { return reach }
            wake()
            // Nobody waits for the answer any more.
            guard (try? await clock.pause(Self.look)) != nil else { return reach }
        }
    }

    /// Seconds between two looks at who has it.
    private static let look = 0.04
    /// Seconds for which a clear waits for a node that was down, after it told the node: the node may be back.
    private static let brief = 0.08

    private func tell(_ number: Int) {
        guard let item = state.withLock({ $0.outstanding.first { $0.number == number } }) else { return }
        Task { await send([item]) }
    }

    /// To those that do not have all of it.
    private func send(_ items: [Outstanding]) async {
        let messages = items.flatMap(\.messages)
        guard let caller, !messages.isEmpty else { return }
        let numbers = Set(items.map(\.number))
        let holders = state.withLock { state in
            items.dropFirst().reduce(items.first.map { state.holders(of: $0) } ?? []) {
                $0.intersection(state.holders(of: $1))
            }
        }
        // Each as it comes: one that hangs says nothing of the others.
        await caller.send(messages, except: holders) { [self] name in
            hear(name)
            state.withLock { state in state.change(numbers) { $0.reached.insert(name) } }
        }
        lookAtPeers()
    }

    /// Sends again what some nodes do not have, a second after the last time.
    func repeatMessages(_ now: Double) {
        let due = state.withLock { state -> [Outstanding] in
            state.forgetNames(now)
            state.forgetUnserved()
            // Until then somebody may be waiting for it.
            state.outstanding = state.outstanding.filter { item in
                guard now - item.began > Self.longestWait else { return true }
                let reach = state.reach(of: item, now)
                return reach.reached < reach.nodes && (item.last == nil || now - item.began < Self.forgetting)
            }
            guard caller != nil, state.sending < Self.mostSending else { return [] }
            // Who has waited longest comes first: with a peer that is away all of them are repeated for ever.
            let due = state.outstanding.filter {
                now - $0.began > Self.longestWait && now - $0.lastTry >= Self.period
            }.sorted { $0.lastTry < $1.lastTry }.prefix(32)
            if !due.isEmpty { state.sending += 1 }
            state.change(Set(due.map(\.number))) { $0.lastTry = now }
            return Array(due)
        }
        guard !due.isEmpty else { return }
        Task {
            await send(due)
            state.withLock { $0.sending -= 1 }
        }
    }
}

extension FleetNode.Outstanding {
    /// Seconds in which nodes have it by the stream. Of thousands of layers a node has much to do.
    fileprivate var patience: Double { messages.count > 100 ? 0.6 : 0.3 }
}

extension FleetNode.State {
    mutating func change(_ numbers: Set<Int>, _ body: (inout FleetNode.Outstanding) -> Void) {
        for index in outstanding.indices where numbers.contains(outstanding[index].number) { body(&outstanding[index]) }
    }

    /// Takes the others as Redis names them. One that has forgotten them names for a while only those that have asked it since.
    mutating func meet(_ others: [FleetMerge.Node], isEmptied: Bool, _ now: Double) {
        if isEmptied { emptied = now }
        let absent = nodes.filter { node in !others.contains { $0.name == node.name } }
        // Redis keeps the name of a killed node for minutes. A node whose name is gone a moment after its last merge has left.
        if now - emptied > 2 * FleetNode.returning {
            for node in absent where node.age + now - merged < FleetNode.silence {
                former[node.name] = FleetNode.FormerName(since: now, from: now + FleetNode.leaving)
            }
        }
        nodes = others + (now - emptied < FleetNode.returning ? absent : [])
    }

    /// Forgets names that neither Redis nor a peer has mentioned for long.
    mutating func forgetNames(_ now: Double) {
        heard = heard.filter { now - $0.value < FleetNode.forgetting }
        former = former.filter { name, former in
            now - former.since < FleetNode.forgetting || peers.contains { $0.name == name }
        }
    }

    /// What is outstanding of layers that are not served any more, which nobody will ever have.
    mutating func forgetUnserved() {
        for item in outstanding.indices {
            outstanding[item].messages.removeAll { fleet.layers[$0.layer] == nil }
        }
        outstanding.removeAll { $0.messages.isEmpty }
    }

    /// Redis has numbered clears. Who has one of them has all that is outstanding of the layer without a number, purges included.
    /// Returns the generation that each layer is to take.
    mutating func cleared(_ numbers: FleetNode.Numbers, now: Int) -> [String: UInt32] {
        var (generations, ids) = ([String: UInt32](), [String: StreamID]())
        for row in numbers.rows {
            let (layer, id) = (row.layer, row.number.clear)
            let generation = fleet.cleared(
                layer, generation: row.number.generation, id, now: now, asked: numbers.counts[layer] ?? 0)
            generations[layer] = generation
            if generation != nil, fleet.layers[layer]?.isShared == true { ids[layer] = id }
        }
        guard !ids.isEmpty else { return generations }
        for item in outstanding.indices where outstanding[item].last == nil {
            for index in outstanding[item].messages.indices where outstanding[item].messages[index].id == nil {
                outstanding[item].messages[index].id = ids[outstanding[item].messages[index].layer]
            }
        }
        return generations
    }

    /// Whether all nodes, as far as is known, read `FleetNotice`.
    var isOfOneForm: Bool { !fleet.isMixed && !nodes.contains(where: \.isOld) }

    /// Redis has numbered the message `name`.
    mutating func note(_ id: StreamID, of name: String) {
        for item in outstanding.indices {
            for index in outstanding[item].messages.indices where outstanding[item].messages[index].name == name {
                outstanding[item].messages[index].id = id
            }
        }
    }
}
