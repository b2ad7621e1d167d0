import RedisClient
import Synchronization

/// Keeps in Redis, too, what this node has still to tell caches in front. Another node of the fleet tells them if this one is gone.
///
/// Redis has a hash from each node's name to its tags. Without Redis the tags are in the node's file alone.
///
/// A class to own the order of writes. Thread rule: any thread.
final class CDNShare: Sendable {
    /// Tags of a node that is gone.
    struct Left: Sendable, Equatable {
        let node: String
        let tags: [String]
        fileprivate let value: [UInt8]
    }

    private struct State {
        /// The last of the writes, each of which waits for the one before.
        var last: Task<Void, Never>?
        /// What Redis has of this node; nil if that is unknown, as after an error.
        var written: [String]?
    }

    private let redis: any RedisCommands
    private let node: String
    /// The hash of tags, and the hash of nodes that the fleet keeps.
    private let key: String
    private let nodes: String
    private let state = Mutex(State())

    /// Seconds after which a node that Redis has not heard of counts as gone.
    private static let absence = 15
    /// Seconds for which Redis keeps tags that no node takes over.
    private static let life = 7 * 86_400

    /// - Parameters:
    ///   - prefix: of all keys of the fleet.
    ///   - node: what this node is called.
    init(redis: any RedisCommands, prefix: String, node: String) {
        self.redis = redis
        self.node = node
        key = "\(prefix):cdn"
        nodes = "\(prefix):nodes"
    }

    /// Puts `pending`, called in the order of the writes, in place of what Redis has of this node. Returns when Redis has it, or does not
    /// answer in time. `isAnew`: also if Redis should have it already, since it may have been emptied.
    func put(isAnew: Bool = false, _ pending: @escaping @Sendable () -> [String]) async {
        let task = state.withLock { state in
            let before = state.last
            let task = Task {
                await before?.value
                await self.write(pending(), isAnew: isAnew)
            }
            state.last = task
            return task
        }
        await task.value
    }

    private func write(_ tags: [String], isAnew: Bool) async {
        guard isAnew || state.withLock({ $0.written != tags }) else { return }
        let (key, node) = (RedisArgument(key), RedisArgument(node))
        let command =
            tags.isEmpty
            ? RedisCommand("HDEL", [key, node])
            : RedisCommand("HSET", [key, node, RedisArgument(tags.joined(separator: "\n"))])
        // If Redis does not answer, the next write or the next look tries again.
        let reply = try? await redis.send(command)
        let isWritten = if case .integer = reply { true } else { false }
        state.withLock { $0.written = isWritten ? tags : nil }
        if isWritten, !tags.isEmpty {
            // Without it the hash is there for longer, which harms nobody.
            _ = try? await redis.send(RedisCommand("EXPIRE", [key, RedisArgument(Self.life)]))
        }
    }

    /// What nodes have left that are gone. It stays in Redis until `forget`: this node may be killed before it has written it down.
    func left() async -> [Left] {
        let reply = try? await redis.run(
            CDNShareScript.left, keys: [RedisArgument(key), RedisArgument(nodes)],
            [RedisArgument(node), RedisArgument(Self.absence * 1_000)])
        guard case .array(let parts) = reply, parts.count.isMultiple(of: 2) else { return [] }
        return stride(from: 0, to: parts.count, by: 2).compactMap { index in
            guard let name = parts[index].text, let value = parts[index + 1].text else { return nil }
            let tags = value.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
            return Left(
                node: String(decoding: name, as: UTF8.self), tags: tags.filter(CDNFile.isTag), value: value)
        }
    }

    /// Removes what a node has left, unless that node has written since: then it is back.
    func forget(_ left: Left) async {
        // What stays is taken over once more, and purged twice.
        _ = try? await redis.run(
            CDNShareScript.forget, keys: [RedisArgument(key)], [RedisArgument(left.node), RedisArgument(left.value)])
    }
}

/// What Redis does with the tags of nodes, each time as one step.
private enum CDNShareScript {
    /// Keys: the hash of tags, the hash of nodes. Arguments: this node, milliseconds. Names and tags of up to eight other nodes that have
    /// not asked Redis for so long.
    static let left = RedisScript(
        """
        #!lua
        local time = redis.call('TIME')
        local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
        local left = {}
        for _, node in ipairs(redis.call('HKEYS', KEYS[1])) do
          local seen = tonumber(string.match(redis.call('HGET', KEYS[2], node) or '', '^(%d+) '))
          if node ~= ARGV[1] and #left < 16 and (not seen or now - seen > tonumber(ARGV[2])) then
            left[#left + 1] = node
            left[#left + 1] = redis.call('HGET', KEYS[1], node)
          end
        end
        return left
        """)

    /// Key: the hash of tags. Arguments: a node, its tags as they were.
    static let forget = RedisScript(
        """
        #!lua flags=allow-oom
        if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then return redis.call('HDEL', KEYS[1], ARGV[1]) end
        return 0
        """)
}
