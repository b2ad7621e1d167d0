import RedisClient
import Synchronization

/// Saves in Redis the tags that this node still has to purge, repeats included. If this node is absent, another node of
/// the fleet purges them.
///
/// Redis has one hash for all nodes. A row of the hash has the name of a node and its tags. If Redis does not answer,
/// the tags are only in the node's own file.
///
/// This is a class because it owns the order of writes. Thread rule: any thread.
package final class CDNShare: Sendable {
    /// The tags of an absent node.
    struct Left: Sendable, Equatable {
        let node: String
        let tags: [String]
    }

    private struct State {
        /// The last write. Each write waits for the write before it.
        var last: Task<Void, Never>?
        /// Tags of this node in Redis. Nil if unknown, for example after an error.
        var written: [String]?
        /// True if Redis may have tags of this node that this process does not know. An earlier process may have left
        /// them, or Redis has moved tags here and its answer was lost.
        var mayHaveOthers = true
        var adopt: @Sendable ([String]) -> Void = { _ in }
    }

    private let redis: any RedisCommands
    private let node: String
    /// The hash of tags, and the fleet's hash of nodes.
    private let keys: [RedisArgument]
    private let state = Mutex(State())

    /// Seconds after which a node counts as absent if Redis has not heard from it.
    private static let absence = 15

    /// - Parameters:
    ///   - prefix: prefix of the fleet's keys in Redis.
    ///   - node: the name of this node.
    package init(redis: any RedisCommands, prefix: String, node: String) {
        self.redis = redis
        self.node = node
        keys = [RedisArgument("\(prefix):cdn"), RedisArgument("\(prefix):nodes")]
    }

    /// Sets the function that gets tags of this node in Redis which this process does not know.
    func setAdopt(_ adopt: @escaping @Sendable ([String]) -> Void) {
        state.withLock { $0.adopt = adopt }
    }

    /// Writes this node's tags to Redis in place of the old ones. Calls `pending` for the tags just before the write,
    /// and runs one write after the other. If `isAnew` is true, writes unchanged tags too, because Redis may have lost
    /// its data. Returns when Redis has the tags, or does not answer in time.
    func put(isAnew: Bool = false, _ pending: @escaping @Sendable () -> [String]) async {
        let task = state.withLock { state in
            let before = state.last
            let task = Task {
                await before?.value
                guard await self.adoptOthers() else { return }
                await self.write(pending(), isAnew: isAnew)
            }
            state.last = task
            return task
        }
        await task.value
    }

    /// Reads this node's tags in Redis if this process may not know all of them, and passes them to `adopt`. After the
    /// start, an earlier process with this node's name may have left tags. After `takeOver` got no valid answer, Redis
    /// may have moved tags to this node. Returns false if Redis gives no valid answer; the next write then tries again.
    private func adoptOthers() async -> Bool {
        guard state.withLock({ $0.mayHaveOthers }) else { return true }
        let reply = try? await redis.send(RedisCommand("HGET", [keys[0], RedisArgument(node)]))
        let tags: [String]
        switch reply {
        case .null?: tags = []
        case .bytes(let value)?: tags = Self.tags(in: value[...])
        default: return false
        }
        let adopt = state.withLock { state in
            state.mayHaveOthers = false
            return state.adopt
        }
        if !tags.isEmpty { adopt(tags) }
        return true
    }

    private func write(_ tags: [String], isAnew: Bool) async {
        guard isAnew || state.withLock({ $0.written != tags }) else { return }
        let reply = try? await redis.run(
            CDNShareScript.put, keys: keys, [RedisArgument(node), RedisArgument(tags.joined(separator: "\n"))])
        // If Redis does not answer, the next write or the next look tries again.
        state.withLock { $0.written = reply == .integer(1) ? tags : nil }
    }

    /// Finds absent nodes, and makes this node responsible for their tags. Moves the tags to this node's row in Redis,
    /// and returns them.
    func takeOver() async -> [Left] {
        let reply = try? await redis.run(
            CDNShareScript.take, keys: keys, [RedisArgument(node), RedisArgument(Self.absence * 1_000)])
        guard case .array(let parts) = reply, parts.count.isMultiple(of: 2) else {
            // Redis may have moved tags although its answer was lost.
            state.withLock { $0.mayHaveOthers = true }
            return []
        }
        return stride(from: 0, to: parts.count, by: 2).compactMap { index in
            guard let name = parts[index].text, let value = parts[index + 1].text else { return nil }
            let node = String(decoding: name, as: UTF8.self)
            return Left(node: CDNFile.isNode(node) ? node : "?", tags: Self.tags(in: value[...]))
        }
    }

    /// Returns the tags of a row. The first line of a row is a time. Skips other lines that are no tags.
    private static func tags(in row: ArraySlice<UInt8>) -> [String] {
        row.split(separator: UInt8(ascii: "\n")).dropFirst().map { String(decoding: $0, as: UTF8.self) }
            .filter(CDNFile.isTag)
    }
}

/// The Lua scripts that change the rows of tags in Redis. Redis runs each script as one atomic step. A row begins with
/// a line for the time of its last `put` in milliseconds, or of the `take` that made the row. Each tag has a line of
/// its own. The scripts run even if Redis is full, because the rows are deleted after the purges.
private enum CDNShareScript {
    /// Replaces the tags of a node. Keys: the hash of tags, the hash of nodes. Arguments: a node, its tags or an empty
    /// text. Returns 1.
    static let put = RedisScript(
        """
        #!lua flags=allow-oom
        if ARGV[2] == '' then
          redis.call('HDEL', KEYS[1], ARGV[1])
          return 1
        end
        local time = redis.call('TIME')
        local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
        redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', now) .. '\\n' .. ARGV[2])
        redis.call('EXPIRE', KEYS[1], 604800)
        return 1
        """)

    /// Moves the tags of absent nodes to this node, until half a megabyte is reached. Keys: the hash of tags, the hash
    /// of nodes. Arguments: this node, and the milliseconds after which a node counts as absent. Returns the name and
    /// the row of each node whose tags it has moved. Deletes rows above one megabyte and rows with a name above 64
    /// bytes, which `put` never writes.
    static let take = RedisScript(
        """
        #!lua flags=allow-oom
        local time = redis.call('TIME')
        local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
        local taken, size = {}, 0
        for _, node in ipairs(redis.call('HKEYS', KEYS[1])) do
          if node ~= ARGV[1] and size < 524288 then
            local length = redis.call('HSTRLEN', KEYS[1], node)
            if length > 1048576 or #node > 64 then
              redis.call('HDEL', KEYS[1], node)
            else
              local row = redis.call('HGET', KEYS[1], node)
              local written = tonumber(string.match(row, '^(%d+)\\n')) or 0
              local seen = tonumber(string.match(redis.call('HGET', KEYS[2], node) or '', '^(%d+) ')) or 0
              if now - math.max(written, seen) > tonumber(ARGV[2]) then
                taken[#taken + 1] = node
                taken[#taken + 1] = row
                size = size + length
              end
            end
          end
        end
        for i = 1, #taken, 2 do
          local tags = string.match(taken[i + 1], '\\n(.*)$') or ''
          local own = redis.call('HGET', KEYS[1], ARGV[1]) or string.format('%.0f', now)
          redis.call('HSET', KEYS[1], ARGV[1], own .. '\\n' .. tags)
          redis.call('HDEL', KEYS[1], taken[i])
        end
        return taken
        """)
}
