import Bytes
import RedisClient

extension FleetFacts {
    /// Reads the layers and maps that each running node serves, from the facts in Redis. A node that has not told its
    /// facts in the last minute is left out. Empty if Redis does not answer.
    package static func served(in redis: some RedisCommands, prefix: String) async -> [String: Set<String>] {
        let key = "\(prefix):facts"
        guard case .array(let rows)? = try? await redis.send(RedisCommand("HGETALL", [RedisArgument(key)])),
            case .array(let time)? = try? await redis.send(RedisCommand("TIME")),
            let now = time.first?.text.flatMap({ ASCII.decimal($0) })
        else { return [:] }
        var served: [String: Set<String>] = [:]
        for index in stride(from: 0, to: rows.count - 1, by: 2) {
            guard let name = rows[index].text, let value = rows[index + 1].text,
                let seen = value.split(separator: UInt8(ascii: " ")).first.flatMap({ ASCII.decimal(Array($0)) }),
                abs(now - seen / 1_000) < 60
            else { continue }
            let node = String(decoding: name.prefix(64), as: UTF8.self)
            let range: [RedisArgument] = [RedisArgument("\(key):\(node)"), "0", RedisArgument(mostBytes)]
            guard let text = (try? await redis.send(RedisCommand("GETRANGE", range)))?.text,
                let facts = FleetFacts(text: text)
            else { continue }
            served[node] = Set(facts.digests.keys.filter { $0.hasPrefix("layer:") }.map { String($0.dropFirst(6)) })
        }
        return served
    }
}
