/// The number of nodes, and the number of nodes that have a clear or purge.
package struct FleetReach: Sendable, Equatable {
    package let nodes: Int
    package let reached: Int
}

/// Delivers the clears of this node to the other nodes, and counts the nodes that have them.
extension FleetNode {
    /// The state of the fleet for the operator, as this node knows it.
    package struct Report: Sendable {
        package let node: String
        /// The other nodes, by name.
        package let others: [Other]
        package let isRedisUp: Bool
        /// Seconds since the last complete round.
        package let lag: Double
        package let isInLease: Bool
        /// Number of clears and purges from this node that some other nodes may lack.
        package let unreached: Int
        /// Number of layers that wait for numbers.
        package let unnumbered: Int

        package struct Other: Sendable {
            package let name: String
            /// Seconds since Redis, or this node, last heard from the node.
            package let age: Double
            package let version: String?
        }
    }

    package func report() -> Report {
        let now = clock.monotonic()
        return read { state in
            let seen = state.nodes.filter { !state.isGone($0.name, now) }.map {
                Report.Other(name: $0.name, age: $0.age + max(now - state.mergeTime, 0), version: $0.about)
            }
            let heard = state.heard.filter { name, _ in
                !seen.contains { $0.name == name } && !state.isGone(name, now)
            }.map { Report.Other(name: $0.key, age: max(now - $0.value, 0), version: nil) }
            return Report(
                node: options.node, others: (seen + heard).sorted { $0.name < $1.name },
                isRedisUp: redis.isAvailable && state.isHeard, lag: max(now - state.mergeTime, 0),
                isInLease: state.isInLease, unreached: state.outstanding.count,
                unnumbered: state.layers.count { !$0.value.isShared })
        }
    }

    /// Waits until the other nodes have the messages of a clear, like `waitForOthers(_:until:)`. A node that lacks one
    /// of `layers` cannot apply the clear. Such a node counts as not reached in the result, but causes no extra
    /// waiting.
    func waitForOthers(_ number: Int, of layers: [String], until end: Double) async -> FleetReach {
        let reach = await waitForOthers(number, until: end)
        let absent = lacking(layers)
        guard !absent.isEmpty else { return reach }
        let now = clock.monotonic()
        return read { state in
            let others = state.others(now)
            let holders = state.outstanding.first { $0.number == number }.map { state.holders(of: $0) } ?? others
            return FleetReach(
                nodes: reach.nodes, reached: reach.reached - absent.intersection(holders.intersection(others)).count)
        }
    }

    /// Waits until all other nodes have the messages of the clear or purge `number`. Waits only briefly for nodes that
    /// are down. Returns soon after the time `end` at the latest, or when the task is cancelled.
    private func waitForOthers(_ number: Int, until end: Double) async -> FleetReach {
        var told: Double?
        while true {
            lookAtPeers()
            let now = clock.monotonic()
            let (item, reach) = read { state -> (FleetState.Outstanding?, FleetReach) in
                guard let item = state.outstanding.first(where: { $0.number == number }) else {
                    let all = state.count(now)
                    return (nil, FleetReach(nodes: all, reached: all))
                }
                return (item, state.reach(of: item, now))
            }
            guard let item, reach.reached < reach.nodes, now < end else {
                if reach.reached >= reach.nodes { note(.settled(number)) }
                return reach
            }
            // The stream takes milliseconds. A node that lacks the messages after `patience` may not hear Redis, so
            // this node tells its peers over HTTP. Without ids from Redis it tells them at once.
            if told == nil, item.last == nil || now - item.began > item.patience {
                told = now
                tell(number)
            }
            let recently = told.flatMap { now - $0 < Self.brief ? $0 : nil }
            // Returns without waiting for nodes that are down: repetitions reach them later.
            guard read({ $0.mayBeTaken(item, told: recently, now) }) else { return reach }
            wake()
            // The task was cancelled: no client waits for the answer any more.
            guard (try? await clock.pause(Self.look)) != nil else { return reach }
        }
    }

    /// Seconds between two checks of the nodes that have the messages.
    private static let look = 0.04
    /// Seconds for which a clear waits for a node that was down, after this node has told it: the node may be back.
    private static let brief = 0.08

    private func tell(_ number: Int) {
        guard let item = read({ $0.outstanding.first { $0.number == number } }) else { return }
        Task { await send([item]) }
    }

    /// Sends messages over HTTP to peers that may lack some of them. Each item is a clear or purge with its messages.
    func send(_ items: [FleetState.Outstanding]) async {
        let messages = items.flatMap(\.messages)
        guard let caller, !messages.isEmpty else { return }
        let numbers = Set(items.map(\.number))
        let holders = read { state in
            items.dropFirst().reduce(items.first.map { state.holders(of: $0) } ?? []) {
                $0.intersection(state.holders(of: $1))
            }
        }
        // Handles each answer as it comes: a peer that hangs must not delay the answers of others.
        await caller.send(messages, except: holders) { [self] name in
            hear(name)
            note(.reached(name, numbers))
        }
        lookAtPeers()
    }

    // MARK: Peers

    /// Replaces the peers by the current peers of the caller.
    func lookAtPeers() {
        guard let peers = caller?.peers else { return }
        note(.peers(peers, now: clock.monotonic()))
    }

    /// Records that the node `name` has answered.
    func hear(_ name: String) {
        note(.heard(name, now: clock.monotonic()))
    }
}

extension FleetState.Outstanding {
    /// Seconds in which nodes normally get the messages from the stream. A clear of many layers takes a node longer.
    fileprivate var patience: Double { messages.count > 100 ? 0.6 : 0.3 }
}
