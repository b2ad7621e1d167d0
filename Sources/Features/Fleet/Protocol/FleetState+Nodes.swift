/// Tracks the other nodes: their names, their number, and which of them are down.
extension FleetState {
    /// The former name of a node that has left or has another name now.
    struct FormerName: Sendable {
        /// The time at which this node noticed the change. If the node is heard later under this name, the name is
        /// current again.
        let since: Double
        /// The time from which on the name does not count as a node.
        let from: Double
    }

    /// Seconds without a merge after which a node counts as absent. A node merges each second.
    private static let silence = 3.0
    /// Seconds after which a node that Redis does not name has left. After FLUSHALL, Redis names each node again within
    /// about a second.
    private static let leaving = 2.0
    /// Seconds in which all running nodes ask Redis again after Redis has lost its data.
    private static let returning = 5.0
    /// Seconds after which this node forgets a silent node, and a numbered clear or purge that the silent node lacks.
    static let forgetting = 300.0

    /// Maximum pause between two meetings with one peer, in seconds.
    private static let longestPause = 30.0

    /// Replaces the list of peers by `found`. If the server at a known URL has a new name, its old name is no longer a
    /// node, unless another peer has it.
    mutating func take(_ found: [FleetPeer], _ now: Double, of node: FleetNode.Options) {
        let peers = found.map { peer in
            // A peer with the name of this node is still another node.
            FleetPeer(url: peer.url, name: peer.name == node.node ? nil : peer.name, failed: peer.failed)
        }
        for peer in peers {
            guard let name = peer.name, let old = self.peers.first(where: { $0.url == peer.url })?.name, old != name,
                !peers.contains(where: { $0.name == old })
            else { continue }
            // The node of this URL came back with another name.
            former[old] = FormerName(since: now, from: now)
            heard[old] = nil
        }
        self.peers = peers
    }

    /// Asks the uncertain peers whose pause is over for their names, and starts their next pause.
    mutating func meets(_ now: Double) -> [Effect] {
        let urls = peers.filter { isUncertain($0, now) }.map(\.url)
        meetings = meetings.filter { urls.contains($0.key) }
        let due = urls.filter { meetings[$0].map { $0.time <= now } ?? true }
        for url in due {
            let pause = min(meetings[url].map { $0.pause * 2 } ?? FleetNode.period, Self.longestPause)
            meetings[url] = (time: now + pause, pause: pause)
        }
        return due.isEmpty ? [] : [.meet(Set(due))]
    }

    /// Reports whether the peer's URL may lead to another node than before, or to none.
    private func isUncertain(_ peer: FleetPeer, _ now: Double) -> Bool {
        guard let name = peer.name, !isDown(peer) else { return true }
        return isHeard && isSilent(name, now)
    }

    /// Returns the time of the node's last merge, by the monotonic clock. Nil if Redis does not know the node.
    private func seen(_ name: String) -> Double? {
        nodes.first { $0.name == name }.map { mergeTime - $0.age }
    }

    func isSilent(_ name: String, _ now: Double) -> Bool {
        seen(name).map { now - $0 >= Self.silence } ?? true
    }

    /// Reports whether the last call to the peer failed, and its node has not merged since.
    func isDown(_ peer: FleetPeer) -> Bool {
        guard let failed = peer.failed else { return false }
        return peer.name.flatMap(seen).map { $0 <= failed } ?? true
    }

    /// Replaces the list of other nodes by `others`, the nodes that Redis names. `isEmptied` is true if Redis has lost
    /// its data. Redis then names only nodes that have asked since, so the known nodes stay in the list for a few
    /// seconds.
    mutating func meet(_ others: [FleetMerge.Node], isEmptied: Bool, _ now: Double) {
        if isEmptied { emptied = now }
        let absent = nodes.filter { node in !others.contains { $0.name == node.name } }
        // Redis keeps the name of a killed node for minutes. If a name disappears shortly after the node's last merge,
        // the node has left.
        if now - emptied > 2 * Self.returning {
            for node in absent where node.age + now - mergeTime < Self.silence {
                former[node.name] = FormerName(since: now, from: now + Self.leaving)
            }
        }
        nodes = others + (now - emptied < Self.returning ? absent : [])
    }

    /// Forgets names that last answered long ago, and former names that were noticed long ago. Keeps the former name of
    /// a peer.
    mutating func forgetNames(_ now: Double) {
        heard = heard.filter { now - $0.value < Self.forgetting }
        former = former.filter { name, former in
            now - former.since < Self.forgetting || peers.contains { $0.name == name }
        }
    }

    /// True if all known nodes can read `FleetNotice`.
    var isOfOneForm: Bool { !isMixed && !nodes.contains(where: \.isOld) }

    // MARK: Number of nodes

    /// Reports whether the node has left or has another name, and has neither merged nor answered since.
    func isGone(_ name: String, _ now: Double) -> Bool {
        guard let former = former[name], now >= former.from else { return false }
        return max(seen(name) ?? -.infinity, heard[name] ?? -.infinity) <= former.since
    }

    /// Returns the names of the other nodes: nodes that merged or answered lately, and peers.
    func others(_ now: Double) -> Set<String> {
        let seen = nodes.filter { $0.age + now - mergeTime < Self.forgetting }.map(\.name)
        return Set(seen).union(heard.keys).union(peers.compactMap(\.name)).filter { !isGone($0, now) }
    }

    /// Returns the number of peers that are not in `others`. A peer without a known name may be a node that Redis names
    /// and whose URL is unknown. Such a peer is not counted twice.
    func strangers(beside others: Set<String>) -> Int {
        let unknown = peers.count { $0.name == nil }
        return max(unknown - others.subtracting(peers.compactMap(\.name)).count, 0)
    }

    /// Returns the number of nodes, this node included.
    func count(_ now: Double) -> Int {
        let others = others(now)
        return others.count + strangers(beside: others) + 1
    }
}

/// Tracks the clears and purges of this node that some other nodes do not have yet.
extension FleetState {
    package struct Outstanding: Sendable {
        let number: Int
        var messages: [FleetMessage]
        /// Nodes that took the messages from this node over HTTP.
        var reached: Set<String> = []
        let began: Double
        var lastTry: Double

        /// The greatest id of the messages. A node has all messages if its position is at least this id. Nil if Redis
        /// does not know all messages.
        var last: StreamID? {
            let ids = messages.compactMap(\.id)
            return ids.count == messages.count ? ids.max() : nil
        }
    }

    /// Seconds after the start of a clear or purge at which the wait for other nodes ends.
    static let longestWait = 0.9
    /// Maximum number of clears and purges that are repeated.
    static let mostOutstanding = 1_000
    /// Maximum number of repetitions at a time. A peer that hangs delays the end of a repetition by about two seconds.
    /// Later repetitions begin meanwhile.
    private static let mostSending = 3

    /// Returns the names of the other nodes that have all messages of `item`.
    func holders(of item: Outstanding) -> Set<String> {
        guard let last = item.last else { return item.reached }
        return item.reached.union(nodes.filter { $0.position >= last }.map(\.name))
    }

    func reach(of item: Outstanding, _ now: Double) -> FleetReach {
        FleetReach(nodes: count(now), reached: holders(of: item).intersection(others(now)).count + 1)
    }

    /// Reports whether waiting is useful: a node that lacks the messages of `item` may still get them soon. `told` is
    /// the time at which this node began to send the messages over HTTP. It is nil if they were not sent yet, or if
    /// this node no longer waits for nodes that were down.
    func mayBeTaken(_ item: Outstanding, told: Double?, _ now: Double) -> Bool {
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

    /// Sends messages again to the nodes that lack them. Waits at least a second between two attempts. Forgets messages
    /// that all nodes have, and old messages that Redis has numbered.
    mutating func repeatMessages(_ now: Double) -> [Effect] {
        forgetNames(now)
        forgetUnserved()
        // A clear may still wait for the other nodes during this time.
        outstanding = outstanding.filter { item in
            guard now - item.began > Self.longestWait else { return true }
            let reach = reach(of: item, now)
            return reach.reached < reach.nodes && (item.last == nil || now - item.began < Self.forgetting)
        }
        guard sending < Self.mostSending else { return [] }
        // The item with the oldest try comes first. If a peer stays away, all items are repeated many times, and each
        // must have its turn.
        let due = outstanding.filter {
            now - $0.began > Self.longestWait && now - $0.lastTry >= FleetNode.period
        }.sorted { $0.lastTry < $1.lastTry }.prefix(32)
        guard !due.isEmpty else { return [] }
        sending += 1
        change(Set(due.map(\.number))) { $0.lastTry = now }
        return [.send(Array(due))]
    }

    /// Forgets outstanding messages of layers that this node does not serve any more.
    mutating func forgetUnserved() {
        for item in outstanding.indices {
            outstanding[item].messages.removeAll { layers[$0.layer] == nil }
        }
        outstanding.removeAll { $0.messages.isEmpty }
    }

    mutating func change(_ numbers: Set<Int>, _ body: (inout Outstanding) -> Void) {
        for index in outstanding.indices where numbers.contains(outstanding[index].number) { body(&outstanding[index]) }
    }

    /// Stores the id that Redis gave to the message `name`.
    mutating func note(_ id: StreamID, of name: String) {
        for item in outstanding.indices {
            for index in outstanding[item].messages.indices where outstanding[item].messages[index].name == name {
                outstanding[item].messages[index].id = id
            }
        }
    }
}
