import Bytes
import Fleet
import Runtime
import RedisClient
import Synchronization

/// Checks whether the fleet's Redis is suitable for a node. Changes no data in Redis.
struct RedisCheck {
    private let settings: FleetSettings
    private let redis: RedisClient
    /// The client's reason for a failed connection. Its `why` is nil if no reason is known.
    private let fault: Fault

    private final class Fault: Sendable {
        let why = Mutex<String?>(nil)
    }

    private static let key = "fleet.redis"
    /// Maximum seconds for an answer from Redis in this check. A node waits only for `fleet.timeout`.
    private static let patience = 2.0

    init(_ settings: FleetSettings, reactor: Reactor) {
        self.settings = settings
        let fault = Fault()
        redis = RedisClient(settings.redis, reactor: reactor, timeout: Self.patience) { state in
            if case .down(let why) = state { fault.why.withLock { $0 = $0 ?? why } }
        }
        self.fault = fault
    }

    /// Returns findings about Redis, and about the nodes that are registered in Redis.
    func findings() async -> [Finding] {
        defer { redis.close() }
        if let fault = await unreachable() { return [fault] }
        let start = MonotonicTime.now()
        let reply = try? await redis.send(RedisCommand("INFO"))
        let seconds = max(MonotonicTime.now().seconds(since: start), 0)
        let verdict = (reply?.text).map {
            RedisVerdict(RedisInfo(String(decoding: $0, as: UTF8.self)), seconds: seconds, settings)
        }
        if let fault = verdict?.fault { return [fault] }
        if let fault = await forbidden() { return [fault] }
        let served = await FleetFacts.served(in: redis, prefix: settings.prefix)
        return (verdict?.findings ?? [unknown]) + [await nodes(), Self.finding(onLayers: served)].compactMap(\.self)
    }

    private var unknown: Finding {
        .warning(
            Self.key, "\(settings.redis) answers, but refuses INFO: its version and memory are unknown",
            "give the Redis user +info")
    }

    /// Waits until Redis accepts commands, and then returns nil. Returns a finding if the connection fails, or if Redis
    /// does not accept commands in time.
    private func unreachable() async -> Finding? {
        let end = MonotonicTime.now().adding(seconds: Self.patience + 1)
        while end > .now() {
            if (try? await redis.send(RedisCommand("PING"))) != nil { return nil }
            if let why = fault.why.withLock({ $0 }) {
                return .fault(Self.key, "\(settings.redis) cannot be reached: \(why)", Self.advice(why))
            }
            // No code cancels this task, so `sleep` cannot throw.
            try? await Task.sleep(for: .milliseconds(20))
        }
        return .fault(Self.key, "\(settings.redis) does not answer", "start Redis, or correct fleet.redis")
    }

    /// Checks whether Redis permits commands that a node uses. Returns a finding for the first request that Redis
    /// refuses or does not answer. Tries only some of the commands, in a form that changes no data.
    private func forbidden() async -> Finding? {
        let script = RedisScript(
            """
            #!lua flags=allow-oom
            redis.call('HGET', KEYS[1], '')
            redis.call('HDEL', KEYS[1], '')
            redis.call('XADD', KEYS[2], 'NOMKSTREAM', 'MAXLEN', '0', '*', 'x', 'x')
            redis.call('SET', KEYS[3], '', 'XX', 'PX', 1)
            redis.call('PEXPIRE', KEYS[3], 1)
            redis.call('GETRANGE', KEYS[3], 0, 0)
            redis.call('DEL', KEYS[3])
            return redis.call('TIME')
            """)
        // Keys that no node uses.
        let keys = ["doctor:h", "doctor:s", "doctor:k"].map { RedisArgument("\(settings.prefix):\($0)") }
        var replies = [try? await redis.run(script, keys: keys, [])]
        replies.append(try? await redis.send(RedisCommand("UNLINK", [keys[2]])))
        replies.append(try? await redis.send(RedisCommand("XREAD", ["COUNT", "1", "STREAMS", keys[1], "$"])))
        for reply in replies {
            guard let reply else {
                return .fault(Self.key, "\(settings.redis) does not answer a script", "check the log of Redis")
            }
            guard let error = reply.errorText else { continue }
            return .fault(
                Self.key, "\(settings.redis) refuses commands that a node needs: \(error)",
                reply.errorCode == "NOPERM" || error.contains("NOPERM") || error.contains("ACL")
                    ? "give the Redis user ~\(settings.prefix):* +@all -@admin -@dangerous +info"
                    : "correct what the error names in the configuration of Redis")
        }
        return nil
    }

    /// Returns the version from a node's description of itself.
    private static func version(in about: Substring) -> String {
        let isMarked = about.hasSuffix(FleetScript.form)
        return String(about.dropLast(isMarked ? FleetScript.form.count : 0).prefix(64))
    }

    /// Returns a finding if the nodes serve different layers, for example because their directories of archives differ.
    /// `served` has the layers and maps of each node.
    static func finding(onLayers served: [String: Set<String>]) -> Finding? {
        let all = served.values.reduce(into: Set<String>()) { $0.formUnion($1) }
        let lacking = served.mapValues { all.subtracting($0).sorted() }.filter { !$0.value.isEmpty }
        guard !lacking.isEmpty else { return nil }
        let lines = lacking.sorted { $0.key < $1.key }.prefix(8).map { node, names in
            let more = names.count > 8 ? " and \(names.count - 8) more" : ""
            return "\(node) does not serve \(names.prefix(8).joined(separator: ", "))\(more)"
        }
        return .warning(
            "fleet", "nodes serve different layers: \(lines.joined(separator: "; "))",
            "give all nodes the same layers, maps and archives")
    }

    private static func advice(_ why: String) -> String {
        switch why {
        case "NOAUTH", "WRONGPASS", "NOPERM": "correct the user and the password in fleet.redis"
        case "ERR": "correct the user, the password and the database in fleet.redis; see the log of Redis"
        case "LOADING", "MASTERDOWN": "wait until Redis has loaded its data"
        default: "start Redis, or correct fleet.redis"
        }
    }

    /// Returns a finding about the nodes that used Redis in the last few minutes. The finding tells whether all these
    /// nodes have the version of this program.
    private func nodes() async -> Finding? {
        let key = RedisArgument("\(settings.prefix):nodes")
        guard case .array(let parts)? = try? await redis.send(RedisCommand("HGETALL", [key])),
            case .array(let time)? = try? await redis.send(RedisCommand("TIME")),
            let now = time.first?.text.flatMap({ ASCII.decimal($0) })
        else { return nil }
        var versions: [String: String] = [:]
        for index in stride(from: 0, to: parts.count - 1, by: 2) {
            guard let name = parts[index].text, let value = parts[index + 1].text else { continue }
            let words = String(decoding: value, as: UTF8.self).split(separator: " ", maxSplits: 2)
            // Skips old rows: while no node runs, the rows of stopped nodes are not removed.
            guard let seen = words.first.flatMap({ ASCII.decimal(Array($0.utf8)) }), abs(now - seen / 1_000) < 300
            else { continue }
            versions[String(decoding: name.prefix(64), as: UTF8.self)] =
                words.count == 3 ? Self.version(in: words[2]) : ""
        }
        guard !versions.isEmpty else { return .ok("fleet", "no node has used this Redis in the last minutes") }
        let list = versions.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }.joined(separator: ", ")
        guard Set(versions.values).union([MapService.version]).count > 1 else { return .ok("fleet", "nodes: \(list)") }
        return .warning(
            "fleet", "not all nodes have version \(MapService.version): \(list)",
            "upgrade the other nodes; different versions work together until then")
    }
}

/// The facts in Redis's answer to the command `INFO`. Each fact is a line `name:value`.
struct RedisInfo {
    private let facts: [String: String]

    init(_ text: String) {
        let lines = text.split(whereSeparator: \.isNewline).compactMap { line -> (String, String)? in
            let parts = line.split(separator: ":", maxSplits: 1)
            return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }
        facts = Dictionary(lines) { first, _ in first }
    }

    subscript(name: String) -> String? { facts[name] }
}

/// Decides from the answer to `INFO` whether this Redis is suitable for a fleet. Pure.
struct RedisVerdict {
    let info: RedisInfo
    /// The time in seconds until Redis answered.
    let seconds: Double
    let settings: FleetSettings

    init(_ info: RedisInfo, seconds: Double, _ settings: FleetSettings) {
        (self.info, self.seconds, self.settings) = (info, seconds, settings)
    }

    private var place: String { "\(settings.redis)" }
    private var version: String { info["valkey_version"] ?? info["redis_version"] ?? "unknown" }

    /// A fault that makes this Redis unusable for a fleet. Nil if there is none.
    var fault: Finding? {
        let key = "fleet.redis"
        let major = (info["redis_version"] ?? "").prefix { $0 != "." }
        guard let number = UInt(major), number >= 7 else {
            return .fault(key, "\(place) is version \(version); Redis 7 or Valkey is required", "upgrade Redis")
        }
        if info["cluster_enabled"] == "1" {
            return .fault(
                key, "\(place) is a Redis Cluster, which is not supported", "use a Redis without cluster mode")
        }
        if info["role"] == "slave" {
            return .fault(
                key, "\(place) is a replica, which refuses writes", "fleet.redis: write the address of the master")
        }
        return nil
    }

    var findings: [Finding] {
        var finding = Finding.ok("fleet.redis", "\(place) answers, version \(version)")
        let limit = settings.timeout / .seconds(1)
        if seconds > limit / 2 {
            finding = .warning(
                "fleet.redis",
                "\(place) answered after \(Measure.seconds(seconds)); fleet.timeout is \(Measure.seconds(limit))",
                "fleet.timeout: a longer time, or a Redis that is closer")
        }
        finding.figures = ["seconds": .number(seconds), "version": .text(version)]
        return [finding] + [memory].compactMap(\.self)
    }

    /// Reports whether Redis has a memory limit and evicts tiles. Nil if the fleet stores no tiles in Redis.
    private var memory: Finding? {
        guard settings.tiles != nil else { return nil }
        let key = "fleet.tiles"
        guard let most = info["maxmemory"].flatMap({ UInt64($0) }), most > 0 else {
            return .warning(
                key, "Redis has no maxmemory: tiles can fill the memory of its machine",
                "set maxmemory and maxmemory-policy allkeys-lru in the configuration of Redis")
        }
        let policy = info["maxmemory_policy"] ?? "noeviction"
        guard policy != "noeviction" else {
            return .warning(
                key, "Redis evicts nothing: a full Redis stores no more tiles",
                "set maxmemory-policy allkeys-lru in the configuration of Redis")
        }
        return .ok(key, "Redis has \(Measure.bytes(Int(clamping: most))) for tiles, evicted by \(policy)")
    }
}
