/// The other nodes: their number, their names, and the nodes that are down.
extension FleetState {
    /// A name that its node does not have any more.
    struct FormerName: Sendable {
        /// The time at which this node noticed. A later word of the node makes the name a present one.
        let since: Double
        /// The time from which on the name does not count.
        let from: Double
    }

    /// Seconds without a merge after which a node is taken for absent. A node merges each second.
    private static let silence = 3.0
    /// Seconds after which a node that Redis does not name has left. After FLUSHALL Redis names each node again within a second.
    private static let leaving = 2.0
    /// Seconds in which all that are there have asked a Redis again that was away.
    private static let returning = 5.0
    /// Seconds after which a node that says nothing is forgotten, and so is a clear that it has not.
    static let forgetting = 300.0

    /// The longest pause between two meetings with one peer, in seconds.
    private static let longestPause = 30.0

    /// Takes over the peers as the caller knows them now.
    mutating func take(_ found: [FleetPeer], _ now: Double, of node: FleetNode.Options) {
        let peers = found.map { peer in
            // Another node that has this node's name is still another node.
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

    /// Asks the uncertain peers whose pause is over, and begins their next pause.
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

    /// Whether the peer's URL may lead to another node than before, or to none.
    private func isUncertain(_ peer: FleetPeer, _ now: Double) -> Bool {
        guard let name = peer.name, !isDown(peer) else { return true }
        return isHeard && isSilent(name, now)
    }

    /// The time of the node's last merge, by the monotonic clock. Nil if Redis does not know the node.
    private func seen(_ name: String) -> Double? {
        nodes.first { $0.name == name }.map { mergeTime - $0.age }
    }

    func isSilent(_ name: String, _ now: Double) -> Bool {
        seen(name).map { now - $0 >= Self.silence } ?? true
    }

    /// Whether the peer's last call failed, and its node has not merged since.
    func isDown(_ peer: FleetPeer) -> Bool {
        guard let failed = peer.failed else { return false }
        return peer.name.flatMap(seen).map { $0 <= failed } ?? true
    }

    /// Takes the others as Redis names them. One that has forgotten them names for a while only those that have asked it since.
    mutating func meet(_ others: [FleetMerge.Node], isEmptied: Bool, _ now: Double) {
        if isEmptied { emptied = now }
        let absent = nodes.filter { node in !others.contains { $0.name == node.name } }
        // Redis keeps the name of a killed node for minutes. A node whose name is gone a moment after its last merge has left.
        if now - emptied > 2 * Self.returning {
            for node in absent where node.age + now - mergeTime < Self.silence {
                former[node.name] = FormerName(since: now, from: now + Self.leaving)
            }
        }
        nodes = others + (now - emptied < Self.returning ? absent : [])
    }

    /// Forgets names that neither Redis nor a peer has mentioned for long.
    mutating func forgetNames(_ now: Double) {
        heard = heard.filter { now - $0.value < Self.forgetting }
        former = former.filter { name, former in
            now - former.since < Self.forgetting || peers.contains { $0.name == name }
        }
    }

    /// Whether all nodes, as far as is known, read `FleetNotice`.
    var isOfOneForm: Bool { !isMixed && !nodes.contains(where: \.isOld) }

    // MARK: How many there are

    /// Whether the node has left or has another name, and neither merged nor answered since.
    func isGone(_ name: String, _ now: Double) -> Bool {
        guard let former = former[name], now >= former.from else { return false }
        return max(seen(name) ?? -.infinity, heard[name] ?? -.infinity) <= former.since
    }

    /// The names of the other nodes: of nodes that merged or answered lately, and of peers.
    func others(_ now: Double) -> Set<String> {
        let seen = nodes.filter { $0.age + now - mergeTime < Self.forgetting }.map(\.name)
        return Set(seen).union(heard.keys).union(peers.compactMap(\.name)).filter { !isGone($0, now) }
    }

    /// The number of peers beside `others`. A peer without a known name is taken for a node that Redis names and no URL is known of, if
    /// there is one.
    func strangers(beside others: Set<String>) -> Int {
        let unknown = peers.count { $0.name == nil }
        return max(unknown - others.subtracting(peers.compactMap(\.name)).count, 0)
    }

    /// The number of nodes, this one included.
    func count(_ now: Double) -> Int {
        let others = others(now)
        return others.count + strangers(beside: others) + 1
    }
}

/// Messages that not all nodes have.
extension FleetState {
    package struct Outstanding: Sendable {
        let number: Int
        var messages: [FleetMessage]
        /// Nodes that took them from this one.
        var reached: Set<String> = []
        let began: Double
        var lastTry: Double

        /// The last id that the others' positions must have passed; nil if Redis does not know all messages.
        var last: StreamID? {
            let ids = messages.compactMap(\.id)
            return ids.count == messages.count ? ids.max() : nil
        }
    }

    /// Seconds that a clear waits for other nodes.
    static let longestWait = 0.9
    /// The most clears that are repeated.
    static let mostOutstanding = 1_000
    /// Maximum number of repetitions at a time. A peer that hangs holds up one of them for two seconds; the next one reaches the others.
    private static let mostSending = 3

    /// The other nodes that have all of `item`.
    func holders(of item: Outstanding) -> Set<String> {
        guard let last = item.last else { return item.reached }
        return item.reached.union(nodes.filter { $0.position >= last }.map(\.name))
    }

    func reach(of item: Outstanding, _ now: Double) -> FleetReach {
        FleetReach(nodes: count(now), reached: holders(of: item).intersection(others(now)).count + 1)
    }

    /// Whether a node that lacks `item` may get it soon. `told`: the time at which the peers were told, if their answers may still be
    /// on their way.
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

    /// Sends again what some nodes do not have, a second after the last time.
    mutating func repeatMessages(_ now: Double) -> [Effect] {
        forgetNames(now)
        forgetUnserved()
        // Until then somebody may be waiting for it.
        outstanding = outstanding.filter { item in
            guard now - item.began > Self.longestWait else { return true }
            let reach = reach(of: item, now)
            return reach.reached < reach.nodes && (item.last == nil || now - item.began < Self.forgetting)
        }
        guard sending < Self.mostSending else { return [] }
        // The item that has waited longest comes first: with a peer that is away all items are repeated for ever.
        let due = outstanding.filter {
            now - $0.began > Self.longestWait && now - $0.lastTry >= FleetNode.period
        }.sorted { $0.lastTry < $1.lastTry }.prefix(32)
        guard !due.isEmpty else { return [] }
        sending += 1
        change(Set(due.map(\.number))) { $0.lastTry = now }
        return [.send(Array(due))]
    }

    /// Forgets outstanding messages of layers that are not served any more: no node will ever confirm them.
    mutating func forgetUnserved() {
        for item in outstanding.indices {
            outstanding[item].messages.removeAll { layers[$0.layer] == nil }
        }
        outstanding.removeAll { $0.messages.isEmpty }
    }

    mutating func change(_ numbers: Set<Int>, _ body: (inout Outstanding) -> Void) {
        for index in outstanding.indices where numbers.contains(outstanding[index].number) { body(&outstanding[index]) }
    }

    /// Redis has numbered the message `name`.
    mutating func note(_ id: StreamID, of name: String) {
        for item in outstanding.indices {
            for index in outstanding[item].messages.indices where outstanding[item].messages[index].name == name {
                outstanding[item].messages[index].id = id
            }
        }
    }
}
