import Fleet
import Reactor
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
        /// In what its facts differ from this node's, and the sums of both.
        var compared: (sum: String, own: String, difference: FleetFacts.Difference?)?
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

    /// Tells Redis this node's facts and compares them with those of the others. Not to be called by two tasks at once.
    func look(_ own: FleetFacts) async {
        guard redis.isAvailable, let seen = await exchange(own) else { return }
        let now = clock.monotonic()
        var events: [Event] = []
        for other in seen.others {
            // Without an answer everything stays as it is.
            guard let verdict = await verdict(on: other, own, seen.ownOffset) else { continue }
            if let event = state.withLock({ $0.note(verdict.difference, of: other.name, now) }) { events.append(event) }
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

    private struct Verdict {
        let difference: Difference?

        init(_ difference: Difference?) { self.difference = difference }
    }

    /// Nil if Redis does not have the facts of `other`.
    private func verdict(
        on other: Seen.Node, _ own: FleetFacts, _ ownOffset: Int
    ) async -> Verdict? {
        if abs(other.offset - ownOffset) > Self.tolerance { return Verdict(.clock(other.offset - ownOffset)) }
        guard other.sum != own.sum else { return Verdict(nil) }
        if let known = state.withLock({ $0.others[other.name]?.compared }), known.sum == other.sum, known.own == own.sum
        {
            return Verdict(known.difference.map { .facts($0) })
        }
        let end = RedisArgument(FleetFacts.mostBytes)
        guard let text = (try? await redis.send(RedisCommand("GETRANGE", [key(of: other.name), "0", end])))?.text,
            let facts = FleetFacts(text: text), facts.sum == other.sum
        else { return nil }
        let difference = own.difference(from: facts)
        state.withLock { $0.others[other.name, default: Other()].compared = (other.sum, own.sum, difference) }
        return Verdict(difference.map { .facts($0) })
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

/// Script for the facts of nodes.
private enum FactsScript {
    /// Keys: the hash of nodes, this node's facts. Arguments: the node, its seconds since 1970, the sum of its facts, the facts or nothing,
    /// milliseconds. Answers by how many seconds the node's clock is ahead, whether its facts are there, and for each node that has asked
    /// within the milliseconds its name, the seconds by which its clock is ahead, and the sum of its facts.
    static let exchange = RedisScript(
        """
        #!lua flags=allow-oom
        local time = redis.call('TIME')
        local ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
        local offset = (tonumber(ARGV[2]) or 0) - tonumber(time[1])
        redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f %.0f %s', ms, offset, ARGV[3]))
        -- Another value than the facts is replaced when the node tells them anew.
        if ARGV[4] ~= '' then redis.call('SET', KEYS[2], ARGV[4], 'PX', 600000) end
        local there = redis.call('EXISTS', KEYS[2])
        local answers = {offset, there}
        local all = redis.call('HGETALL', KEYS[1])
        for i = 1, #all, 2 do
          local seen, ahead, sum = string.match(all[i + 1], '^(%d+) (-?%d+) (%x+)$')
          local isJunk = not seen or #all[i] > 64 or #all[i + 1] > 128 or #answers > 500
          if isJunk or math.abs(ms - tonumber(seen)) > tonumber(ARGV[5]) then
            redis.call('HDEL', KEYS[1], all[i])
          else
            answers[#answers + 1] = all[i] .. ' ' .. ahead .. ' ' .. sum
          end
        end
        return answers
        """)
}
