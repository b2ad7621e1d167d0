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
            let seen = state.nodes.map {
                Report.Other(name: $0.name, age: $0.age + max(now - state.merged, 0), version: $0.about)
            }
            let heard = state.heard.filter { name, _ in !seen.contains { $0.name == name } }
                .map { Report.Other(name: $0.key, age: max(now - $0.value, 0), version: nil) }
            return Report(
                node: options.node, others: (seen + heard).sorted { $0.name < $1.name },
                isRedisUp: redis.isAvailable && state.isHeard, lag: max(now - state.merged, 0),
                isInLease: state.isInLease, unreached: state.outstanding.count,
                unnumbered: state.fleet.layers.count { !$0.value.isShared })
        }
    }

    /// Returns as soon as all have what is outstanding under `number`, and at `end` at the latest.
    func waitForOthers(_ number: Int, until end: Double) async -> FleetReach {
        var (isTold, isMet) = (false, false)
        while true {
            let now = clock.monotonic()
            let (reach, isLate, others) = state.withLock { state in
                let others = state.others(now).count
                guard let item = state.outstanding.first(where: { $0.number == number }) else {
                    return (FleetReach(nodes: others + 1, reached: others + 1), false, others)
                }
                return (state.reach(of: item, now), item.last == nil || now - item.began > item.patience, others)
            }
            guard reach.reached < reach.nodes, now < end else {
                if reach.reached >= reach.nodes { state.withLock { $0.outstanding.removeAll { $0.number == number } } }
                return reach
            }
            // All that Redis knows have it: one of the peers may be this node itself.
            if reach.reached > others, !isMet {
                isMet = true
                meetPeers()
            }
            // By the stream it takes milliseconds: who has not got it by then may not hear Redis.
            if !isTold, isLate {
                isTold = true
                tell(number)
            }
            wake()
            // Nobody waits for the answer any more.
            guard (try? await Task.sleep(for: .milliseconds(40))) != nil else { return reach }
        }
    }

    /// Has the peers say who they are.
    private func meetPeers() {
        guard let caller else { return }
        Task {
            await caller.send([], except: []) { [self] name in
                let now = clock.monotonic()
                if name != options.node { state.withLock { $0.heard[name] = now } }
            }
            state.withLock { $0.peers = caller.count }
        }
    }

    private func tell(_ number: Int) {
        guard let item = state.withLock({ $0.outstanding.first { $0.number == number } }) else { return }
        Task { await send([item]) }
    }

    /// To those that do not have all of it.
    private func send(_ items: [Outstanding]) async {
        let messages = items.flatMap(\.messages)
        guard let caller, let first = items.first, !messages.isEmpty else { return }
        let numbers = Set(items.map(\.number))
        let reached = items.dropFirst().reduce(first.reached) { $0.intersection($1.reached) }
        // Each as it comes: one that hangs says nothing of the others.
        await caller.send(messages, except: reached) { [self] name in
            let now = clock.monotonic()
            state.withLock { state in
                if name != options.node { state.heard[name] = now }
                state.change(numbers) { $0.reached.insert(name) }
            }
        }
        let now = clock.monotonic()
        state.withLock { state in
            state.peers = caller.count
            state.change(numbers) { $0.lastTry = now }
        }
    }

    /// Sends again what some nodes do not have, a second after the last time.
    func repeatMessages(_ now: Double) {
        let due = state.withLock { state -> [Outstanding] in
            state.heard = state.heard.filter { now - $0.value < Self.forgetting }
            state.forgetUnserved()
            // Who answers has waited for it to the end of its time.
            state.outstanding = state.outstanding.filter { item in
                guard now - item.began > Self.longestWait else { return true }
                let reach = state.reach(of: item, now)
                return reach.reached < reach.nodes && (item.last == nil || now - item.began < Self.forgetting)
            }
            guard caller != nil, !state.isSending else { return [] }
            // Who has waited longest comes first: with a peer that is away all of them are repeated for ever.
            let due = state.outstanding.filter {
                now - $0.began > Self.longestWait && now - $0.lastTry >= Self.period
            }.sorted { $0.lastTry < $1.lastTry }.prefix(32)
            state.isSending = !due.isEmpty
            return Array(due)
        }
        guard !due.isEmpty else { return }
        Task {
            await send(due)
            state.withLock { $0.isSending = false }
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
        nodes = others + (now - emptied < FleetNode.returning ? absent : [])
    }

    /// The names of the other nodes that were heard of lately.
    func others(_ now: Double) -> Set<String> {
        let seen = nodes.filter { $0.age + now - merged < FleetNode.forgetting }.map(\.name)
        return Set(seen).union(heard.keys)
    }

    func reach(of item: FleetNode.Outstanding, _ now: Double) -> FleetReach {
        let others = others(now)
        var reached = item.reached.intersection(others)
        if let last = item.last { reached.formUnion(nodes.filter { $0.position >= last }.map(\.name)) }
        // A peer that never answered has no name.
        return FleetReach(nodes: max(others.count, peers) + 1, reached: reached.count + 1)
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
