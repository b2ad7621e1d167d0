import RedisClient

/// Knows the other nodes: their number, their names, and the nodes that are down.
extension FleetNode {
    /// Takes over the peers as the caller knows them now.
    func lookAtPeers() {
        guard let peers = caller?.peers else { return }
        let now = clock.monotonic()
        let known = peers.map { peer in
            // Another node that has this node's name is still another node.
            FleetPeer(url: peer.url, name: peer.name == options.node ? nil : peer.name, failed: peer.failed)
        }
        state.withLock { $0.take(known, now) }
    }

    /// Asks each uncertain peer for its name, in a task of its own: at once, and then after longer and longer pauses.
    func meetPeers(_ now: Double) {
        lookAtPeers()
        let due = state.withLock { $0.dueMeetings(now) }
        guard let caller, !due.isEmpty else { return }
        Task {
            await caller.meet(due) { [self] in hear($0) }
            lookAtPeers()
        }
    }

    /// The node `name` has answered.
    func hear(_ name: String) {
        guard name != options.node else { return }
        let now = clock.monotonic()
        state.withLock { $0.heard[name] = now }
    }
}

extension FleetNode.State {
    /// The longest pause between two meetings with one peer, in seconds.
    private static let longestPause = 30.0

    mutating func take(_ peers: [FleetPeer], _ now: Double) {
        for peer in peers {
            guard let name = peer.name, let old = self.peers.first(where: { $0.url == peer.url })?.name, old != name,
                !peers.contains(where: { $0.name == old })
            else { continue }
            // The node of this URL came back with another name.
            former[old] = FleetNode.FormerName(since: now, from: now)
            heard[old] = nil
        }
        self.peers = peers
    }

    /// The URLs of the uncertain peers whose pause is over. Begins their next pause.
    mutating func dueMeetings(_ now: Double) -> Set<String> {
        let urls = peers.filter { isUncertain($0, now) }.map(\.url)
        meetings = meetings.filter { urls.contains($0.key) }
        let due = urls.filter { meetings[$0].map { $0.time <= now } ?? true }
        for url in due {
            let pause = min(meetings[url].map { $0.pause * 2 } ?? FleetNode.period, Self.longestPause)
            meetings[url] = (time: now + pause, pause: pause)
        }
        return Set(due)
    }

    /// Whether the peer's URL may lead to another node than before, or to none.
    private func isUncertain(_ peer: FleetPeer, _ now: Double) -> Bool {
        guard let name = peer.name, !isDown(peer) else { return true }
        return isHeard && isSilent(name, now)
    }

    /// The time of the node's last merge, by the monotonic clock. Nil if Redis does not know the node.
    private func seen(_ name: String) -> Double? {
        nodes.first { $0.name == name }.map { merged - $0.age }
    }

    private func isSilent(_ name: String, _ now: Double) -> Bool {
        seen(name).map { now - $0 >= FleetNode.silence } ?? true
    }

    /// Whether the peer's last call failed, and its node has not merged since.
    private func isDown(_ peer: FleetPeer) -> Bool {
        guard let failed = peer.failed else { return false }
        return peer.name.flatMap(seen).map { $0 <= failed } ?? true
    }

    // MARK: How many there are

    /// Whether the node has left or has another name, and neither merged nor answered since.
    func isGone(_ name: String, _ now: Double) -> Bool {
        guard let former = former[name], now >= former.from else { return false }
        return max(seen(name) ?? -.infinity, heard[name] ?? -.infinity) <= former.since
    }

    /// The names of the other nodes: of nodes that merged or answered lately, and of peers.
    func others(_ now: Double) -> Set<String> {
        let seen = nodes.filter { $0.age + now - merged < FleetNode.forgetting }.map(\.name)
        return Set(seen).union(heard.keys).union(peers.compactMap(\.name)).filter { !isGone($0, now) }
    }

    /// The number of peers beside `others`. A peer without a known name is taken for a node that Redis names and no URL is known of, if
    /// there is one.
    private func strangers(beside others: Set<String>) -> Int {
        let unknown = peers.count { $0.name == nil }
        return max(unknown - others.subtracting(peers.compactMap(\.name)).count, 0)
    }

    /// The number of nodes, this one included.
    func count(_ now: Double) -> Int {
        let others = others(now)
        return others.count + strangers(beside: others) + 1
    }

    // MARK: Who has a clear

    /// The other nodes that have all of `item`.
    func holders(of item: FleetNode.Outstanding) -> Set<String> {
        guard let last = item.last else { return item.reached }
        return item.reached.union(nodes.filter { $0.position >= last }.map(\.name))
    }

    func reach(of item: FleetNode.Outstanding, _ now: Double) -> FleetReach {
        FleetReach(nodes: count(now), reached: holders(of: item).intersection(others(now)).count + 1)
    }

    /// Whether a node that lacks `item` may get it soon. `told`: the time at which the peers were told, if their answers may still be
    /// on their way.
    func mayBeTaken(_ item: FleetNode.Outstanding, told: Double?, _ now: Double) -> Bool {
        func mayAnswer(_ peer: FleetPeer) -> Bool {
            guard isDown(peer), let failed = peer.failed else { return true }
            return told.map { failed < $0 } ?? false
        }
        let others = others(now)
        let unknown = peers.filter { $0.name == nil }
        let mayUnknownAnswer = unknown.contains(where: mayAnswer)
        let missing = others.subtracting(holders(of: item))
        return strangers(beside: others) > 0 && mayUnknownAnswer
            || missing.contains { name in
                guard let peer = peers.first(where: { $0.name == name }) else {
                    return mayUnknownAnswer || !isSilent(name, now)
                }
                return mayAnswer(peer)
            }
    }
}
