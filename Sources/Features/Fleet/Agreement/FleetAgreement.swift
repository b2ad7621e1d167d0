import RedisClient
import Synchronization

/// Finds nodes whose secret, settings, layers or clock differ from this node. The nodes exchange their facts and clocks
/// through Redis. A difference is reported as an event when the nodes have differed for a minute.
///
/// This is a class because it owns the knowledge about the other nodes. Thread rule: any thread; nothing blocks.
final class FleetAgreement: Sendable {
    /// A difference of another node from this node.
    enum Difference: Sendable, Equatable {
        case facts(FleetFacts.Difference)
        /// The other node's clock is ahead of this node's clock by this number of seconds.
        case clock(Int)
    }

    /// A difference of a node that has differed for a minute. Nil: the difference is over, or the node is gone.
    struct Event: Sendable, Equatable {
        let node: String
        let difference: Difference?
    }

    fileprivate struct State {
        /// The sum of this node's facts in Redis, and the time at which this node sent the facts, by the monotonic
        /// clock.
        var told: (sum: String, time: Double)?
        var others: [String: Other] = [:]
    }

    fileprivate struct Other {
        /// The time at which this node first found a difference, by the monotonic clock. Nil if there is none now.
        var since: Double?
        /// The difference that the log has a line about.
        var told: Difference?
        /// The comparison of the other node's facts with this node's facts. Nil while their sums are equal, and before
        /// the first comparison.
        var compared: Comparison?
    }

    fileprivate struct Comparison {
        let sum: String
        let own: String
        let difference: FleetFacts.Difference?
        /// Layers and maps that this node serves and the other node does not.
        let lacking: Set<String>
    }

    private let redis: any RedisCommands
    private let node: String
    private let prefix: String
    private let clock: FleetNode.Clock
    private let onEvent: @Sendable (Event) -> Void
    private let state = Mutex(State())

    /// Seconds between two comparisons.
    static let period = 5.0
    /// Seconds that nodes must differ before a difference is reported. Nodes differ for a while when they are upgraded
    /// one after another.
    static let patience = 60.0
    /// Maximum difference between clocks in seconds. A node refuses batches of a node whose clock differs by more.
    private static let tolerance = FleetSignature.tolerance
    /// Seconds after which a node's entry is ignored.
    private static let life = 30

    /// - Parameters:
    ///   - prefix: prefix of the fleet's keys in Redis.
    ///   - node: the name of this node.
    init(
        redis: any RedisCommands, prefix: String, node: String, clock: FleetNode.Clock,
        onEvent: @escaping @Sendable (Event) -> Void
    ) {
        (self.redis, self.prefix, self.node, self.clock, self.onEvent) = (redis, prefix, node, clock, onEvent)
    }

    /// The nodes that have differed for a minute, with their differences.
    var differences: [String: Difference] {
        state.withLock { $0.others.compactMapValues(\.told) }
    }

    /// Returns the nodes that do not serve all of `layers`, as far as that is known.
    func nodes(lacking layers: [String]) -> Set<String> {
        let others = state.withLock { $0.others.compactMapValues { $0.compared?.lacking } }
        return Set(others.filter { !$0.value.isDisjoint(with: layers) }.keys)
    }

    /// Writes the facts of this node to Redis, and compares them with the facts of the other nodes. Two tasks must not
    /// call this function at the same time.
    func look(_ own: FleetFacts) async {
        guard redis.isAvailable, let seen = await exchange(own) else { return }
        let now = clock.monotonic()
        var events: [Event] = []
        for other in seen.others {
            // Without the other node's facts, its state stays unchanged.
            guard let difference = await verdict(on: other, own, seen.ownOffset) else { continue }
            if let event = state.withLock({ $0.note(difference, of: other.name, now) }) { events.append(event) }
        }
        let present = Set(seen.others.map(\.name))
        events += state.withLock { $0.forget(all: present) }
        for event in events { onEvent(event) }
    }

    // MARK: Redis

    private struct Seen {
        struct Node {
            let name: String
            let sum: String
            /// Seconds by which the node's clock is ahead of Redis' clock.
            let offset: Int
        }

        let ownOffset: Int
        let others: [Node]
    }

    private var key: RedisArgument { RedisArgument("\(prefix):facts") }
    private func key(of node: String) -> RedisArgument { RedisArgument("\(prefix):facts:\(node)") }

    /// Writes the facts of this node to Redis, and returns what Redis knows about the other nodes. Returns nil if Redis
    /// gives no valid answer.
    private func exchange(_ own: FleetFacts) async -> Seen? {
        let sum = own.sum
        let now = clock.monotonic()
        // Tells the facts again after a minute: they expire in Redis, and another program may change them.
        let isTold = state.withLock { $0.told.map { $0.sum == sum && now - $0.time < Self.patience } ?? false }
        let reply = try? await redis.run(
            FactsScript.exchange, keys: [key, key(of: node)],
            [
                RedisArgument(node), RedisArgument(clock.wall()), RedisArgument(sum),
                RedisArgument(isTold ? "" : own.text), RedisArgument(Self.life * 1_000),
            ])
        guard case .array(let parts) = reply, parts.count > 1, case .integer(let offset) = parts[0],
            case .integer(let isThere) = parts[1]
        else { return nil }
        // If Redis does not have the facts, this node tells them again the next time.
        state.withLock { state in
            if !isTold { state.told = (sum, now) }
            if isThere != 1 { state.told = nil }
        }
        let others = parts.dropFirst(2).compactMap { part -> Seen.Node? in
            let words = (part.text ?? []).split(separator: UInt8(ascii: " ")).map {
                String(decoding: $0, as: UTF8.self)
            }
            guard words.count == 3, words[0] != node, FleetMessage.isName(words[0], atMost: 64),
                let offset = Int(words[1])
            else { return nil }
            return Seen.Node(name: words[0], sum: words[2], offset: max(min(offset, 1 << 40), -1 << 40))
        }
        return Seen(ownOffset: max(min(Int(clamping: offset), 1 << 40), -1 << 40), others: others)
    }

    /// Returns the difference of `other`, or `.some(nil)` if there is none. A difference of the clocks comes first.
    /// Otherwise returns nil if Redis does not return the current facts of `other`.
    private func verdict(on other: Seen.Node, _ own: FleetFacts, _ ownOffset: Int) async -> Difference?? {
        let isCompared = await compare(other, own)
        if abs(other.offset - ownOffset) > Self.tolerance { return .some(.clock(other.offset - ownOffset)) }
        guard isCompared else { return nil }
        return .some(state.withLock { $0.others[other.name]?.compared?.difference }.map { .facts($0) })
    }

    /// Compares the facts of the node `other` with the facts of this node. Skips the comparison if the sums are equal,
    /// or if neither has changed since the last comparison. Returns false if Redis does not return the current facts of
    /// `other`.
    private func compare(_ other: Seen.Node, _ own: FleetFacts) async -> Bool {
        let known = state.withLock { state in
            if other.sum == own.sum { state.others[other.name]?.compared = nil }
            return state.others[other.name]?.compared
        }
        if other.sum == own.sum || known?.sum == other.sum && known?.own == own.sum { return true }
        let end = RedisArgument(FleetFacts.mostBytes)
        // Without an answer there is nothing to compare.
        guard let text = (try? await redis.send(RedisCommand("GETRANGE", [key(of: other.name), "0", end])))?.text,
            let facts = FleetFacts(text: text), facts.sum == other.sum
        else { return false }
        let comparison = Comparison(
            sum: other.sum, own: own.sum, difference: own.difference(from: facts), lacking: own.layers(notIn: facts))
        state.withLock { $0.others[other.name, default: Other()].compared = comparison }
        return true
    }
}

extension FleetAgreement.State {
    /// Records whether the node `name` differs from this node now. Returns an event for the log if the nodes have
    /// differed for a minute and this difference has no line yet. Also returns an event if a reported difference has
    /// ended.
    fileprivate mutating func note(
        _ difference: FleetAgreement.Difference?, of name: String, _ now: Double
    ) -> FleetAgreement.Event? {
        var other = others[name] ?? FleetAgreement.Other()
        defer { others[name] = other }
        guard let difference else {
            other.since = nil
            guard other.told != nil else { return nil }
            other.told = nil
            return FleetAgreement.Event(node: name, difference: nil)
        }
        let since = other.since ?? now
        other.since = since
        guard now - since >= FleetAgreement.patience, !(other.told?.isLike(difference) ?? false) else { return nil }
        other.told = difference
        return FleetAgreement.Event(node: name, difference: difference)
    }

    /// Forgets all nodes except `present`. Returns events for reported differences that end by this.
    fileprivate mutating func forget(all present: Set<String>) -> [FleetAgreement.Event] {
        let gone = others.filter { !present.contains($0.key) }
        for name in gone.keys { others[name] = nil }
        return gone.filter { $0.value.told != nil }.keys.sorted().map {
            FleetAgreement.Event(node: $0, difference: nil)
        }
    }
}

extension FleetAgreement.Difference {
    /// Reports whether the other difference needs no new log line. A drifting clock is logged once.
    fileprivate func isLike(_ other: Self) -> Bool {
        switch (self, other) {
        case (.clock, .clock): true
        case (.facts(let one), .facts(let two)): one == two
        case (.clock, .facts), (.facts, .clock): false
        }
    }

    /// The name for the log and metrics: `secret`, `clock`, `layers` or `settings`.
    var name: String {
        switch self {
        case .clock: "clock"
        case .facts(let difference): difference.name
        }
    }
}
