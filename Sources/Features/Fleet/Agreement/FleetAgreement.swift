import RedisClient
import Synchronization

/// Compares this node's facts and clock with those of the others, through Redis, and says where they differ for longer than a minute.
///
/// A class to own what it knows of the others. Thread rule: any thread; nothing blocks.
final class FleetAgreement: Sendable {
    /// In what another node differs.
    enum Difference: Sendable, Equatable {
        case facts(FleetFacts.Difference)
        /// Its clock is ahead of this node's by so many seconds.
        case clock(Int)
    }

    /// A difference has lasted for a minute, or is over (nil).
    struct Event: Sendable, Equatable {
        let node: String
        let difference: Difference?
    }

    fileprivate struct State {
        /// The facts that Redis has of this node, by their sum, and when it was told, by the monotonic clock.
        var told: (sum: String, time: Double)?
        var others: [String: Other] = [:]
    }

    fileprivate struct Other {
        /// When it began to differ, by the monotonic clock; nil: it does not.
        var since: Double?
        /// The difference that the log has a line of.
        var told: Difference?
        /// Its facts beside this node's, with the sums of both. Nil while the sums are equal.
        var compared: Comparison?
    }

    fileprivate struct Comparison {
        let sum: String
        let own: String
        let difference: FleetFacts.Difference?
        /// Layers and maps of this node that the other does not serve.
        let lacking: Set<String>
    }

    private let redis: any RedisCommands
    private let node: String
    private let prefix: String
    private let clock: FleetNode.Clock
    private let onEvent: @Sendable (Event) -> Void
    private let state = Mutex(State())

    /// Seconds between two looks at the others.
    static let period = 5.0
    /// Seconds for which a difference must have lasted: while all nodes are upgraded in turn they differ.
    static let patience = 60.0
    /// Seconds by which clocks may differ: messages between nodes are refused beyond that.
    private static let tolerance = FleetSignature.tolerance
    /// Seconds after which a node's entry is ignored.
    private static let life = 30

    /// - Parameters:
    ///   - prefix: of all keys of the fleet.
    ///   - node: what this node is called.
    init(
        redis: any RedisCommands, prefix: String, node: String, clock: FleetNode.Clock,
        onEvent: @escaping @Sendable (Event) -> Void
    ) {
        (self.redis, self.prefix, self.node, self.clock, self.onEvent) = (redis, prefix, node, clock, onEvent)
    }

    /// The nodes that have differed for a minute, and in what.
    var differences: [String: Difference] {
        state.withLock { $0.others.compactMapValues(\.told) }
    }

    /// The nodes that do not serve all of `layers`, as far as that is known.
    func nodes(lacking layers: [String]) -> Set<String> {
        let others = state.withLock { $0.others.compactMapValues { $0.compared?.lacking } }
        return Set(others.filter { !$0.value.isDisjoint(with: layers) }.keys)
    }

    /// Tells Redis this node's facts and compares them with those of the others. Not to be called by two tasks at once.
    func look(_ own: FleetFacts) async {
        guard redis.isAvailable, let seen = await exchange(own) else { return }
        let now = clock.monotonic()
        var events: [Event] = []
        for other in seen.others {
            // Without an answer everything stays as it is.
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
            /// Seconds by which its clock is ahead of Redis'.
            let offset: Int
        }

        let ownOffset: Int
        let others: [Node]
    }

    private var key: RedisArgument { RedisArgument("\(prefix):facts") }
    private func key(of node: String) -> RedisArgument { RedisArgument("\(prefix):facts:\(node)") }

    /// Nil if Redis does not answer as it should.
    private func exchange(_ own: FleetFacts) async -> Seen? {
        let sum = own.sum
        let now = clock.monotonic()
        // Somebody may have changed them in Redis, where they expire too.
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
        // Redis has lost it: it is told again the next time.
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

    /// The difference of `other`, if there is one; nil if Redis does not have its facts.
    private func verdict(on other: Seen.Node, _ own: FleetFacts, _ ownOffset: Int) async -> Difference?? {
        let isCompared = await compare(other, own)
        if abs(other.offset - ownOffset) > Self.tolerance { return .some(.clock(other.offset - ownOffset)) }
        guard isCompared else { return nil }
        return .some(state.withLock { $0.others[other.name]?.compared?.difference }.map { .facts($0) })
    }

    /// Compares the facts of `other` unless that was done before. False if Redis does not have them.
    private func compare(_ other: Seen.Node, _ own: FleetFacts) async -> Bool {
        let known = state.withLock { state in
            if other.sum == own.sum { state.others[other.name]?.compared = nil }
            return state.others[other.name]?.compared
        }
        if other.sum == own.sum || known?.sum == other.sum && known?.own == own.sum { return true }
        let end = RedisArgument(FleetFacts.mostBytes)
        // Without an answer nothing is compared.
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
    /// The event for the log, or nil.
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

    /// Forgets all nodes but `present`.
    fileprivate mutating func forget(all present: Set<String>) -> [FleetAgreement.Event] {
        let gone = others.filter { !present.contains($0.key) }
        for name in gone.keys { others[name] = nil }
        return gone.filter { $0.value.told != nil }.keys.sorted().map {
            FleetAgreement.Event(node: $0, difference: nil)
        }
    }
}

extension FleetAgreement.Difference {
    /// Whether the log need not be told of the other: a clock that drifts is told of once.
    fileprivate func isLike(_ other: Self) -> Bool {
        switch (self, other) {
        case (.clock, .clock): true
        case (.facts(let one), .facts(let two)): one == two
        case (.clock, .facts), (.facts, .clock): false
        }
    }

    /// For the log and metrics: `secret`, `clock`, `layers` or `settings`.
    var name: String {
        switch self {
        case .clock: "clock"
        case .facts(let difference): difference.name
        }
    }
}
