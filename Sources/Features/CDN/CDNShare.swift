import RedisClient
import Synchronization

/// Keeps in Redis, too, what this node has still to tell caches in front. Another node of the fleet tells them if this one is gone.
///
/// Redis has a hash from each node's name to its tags. Without Redis the tags are in the node's file alone.
///
/// A class to own the order of writes. Thread rule: any thread.
package final class CDNShare: Sendable {
    /// The tags of a node that is gone.
    struct Left: Sendable, Equatable {
        let node: String
        let tags: [String]
    }

    private struct State {
        /// The last of the writes, each of which waits for the one before.
        var last: Task<Void, Never>?
        /// Tags of this node in Redis. Nil if unknown, as after an error.
        var written: [String]?
        /// Redis may have tags of this node that this process does not know: of a process before it, or taken over without an answer.
        var mayHaveOthers = true
        var adopt: @Sendable ([String]) -> Void = { _ in }
    }

    private let redis: any RedisCommands
    private let node: String
    /// The hash of tags, and the hash of nodes that the fleet keeps.
    private let keys: [RedisArgument]
    private let state = Mutex(State())

    /// Seconds after which a node that Redis has not heard of counts as gone.
    private static let absence = 15

    /// - Parameters:
    ///   - prefix: of all keys of the fleet.
    ///   - node: what this node is called.
    package init(redis: any RedisCommands, prefix: String, node: String) {
        self.redis = redis
        self.node = node
        keys = [RedisArgument("\(prefix):cdn"), RedisArgument("\(prefix):nodes")]
    }

    /// Sets what is called with tags that Redis has of this node and that `put` was not given.
    func setAdopt(_ adopt: @escaping @Sendable ([String]) -> Void) {
        state.withLock { $0.adopt = adopt }
    }

    /// Puts `pending`, called in the order of the writes, in place of what Redis has of this node. Returns when Redis has it, or does not
    /// answer in time. `isAnew`: also if Redis should have it already, since it may have been emptied.
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

    /// Reads what Redis has of this node, once and after each failure: a process with this name may have left it. False if Redis does not
    /// say.
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

    /// Moves what nodes have left that are gone to this node, and returns it.
    func takeOver() async -> [Left] {
        let reply = try? await redis.run(
            CDNShareScript.take, keys: keys, [RedisArgument(node), RedisArgument(Self.absence * 1_000)])
        guard case .array(let parts) = reply, parts.count.isMultiple(of: 2) else {
            // Redis may have moved some all the same.
            state.withLock { $0.mayHaveOthers = true }
            return []
        }
        return stride(from: 0, to: parts.count, by: 2).compactMap { index in
            guard let name = parts[index].text, let value = parts[index + 1].text else { return nil }
            let node = String(decoding: name, as: UTF8.self)
            return Left(node: CDNFile.isNode(node) ? node : "?", tags: Self.tags(in: value[...]))
        }
    }

    /// The tags of a row: its first line is a time. Other lines that are no tags are left out.
    private static func tags(in row: ArraySlice<UInt8>) -> [String] {
        row.split(separator: UInt8(ascii: "\n")).dropFirst().map { String(decoding: $0, as: UTF8.self) }
            .filter(CDNFile.isTag)
    }
}

/// Scripts for the tags of nodes, each one step in Redis. A row is the time at which it was written, in milliseconds, and a line
/// for each tag. Allowed where Redis is full: the rows are small, and go once caches in front are told.
private enum CDNShareScript {
    /// Keys: the hash of tags, the hash of nodes. Arguments: a node, its tags or nothing. 1.
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

    /// Keys: the hash of tags, the hash of nodes. Arguments: this node, milliseconds. Moves the tags of nodes that Redis has not heard of for so
    /// long to this node, up to half a megabyte of them. Answers each node's name and row. A row above a megabyte is none of a node.
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
