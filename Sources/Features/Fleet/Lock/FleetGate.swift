import RedisClient
import Runtime
import Synchronization
import TileCache

/// Lets one node of the fleet fetch a tile, while the other nodes wait for a limited time. The node that fetches the
/// tile holds a lock, which is a key in Redis. `LockLeases` renews the lock while the fetch runs. A Redis stream then
/// tells the waiting nodes that the fetch has ended. If Redis does not answer, every node fetches the tile itself.
///
/// This is a class because it owns the locks and the waiting fetches. Thread rule: any thread.
package final class FleetGate: FillGate {
    private let redis: any RedisCommands
    private let tier: FleetTier
    private let stamps: any FleetStamps
    private let prefix: String
    /// Prefix of the tokens of this node's locks.
    private let own: String
    private let waiters = TileWaiters()
    private let leases: LockLeases
    private let state = Mutex<[FleetMetrics.LockResult: Int]>([:])
    private let pause: Double

    /// - Parameters:
    ///   - tier: the tiles in Redis that all nodes share.
    ///   - prefix: prefix of all keys in Redis.
    ///   - instance: a random id of this process. The id differs even if two nodes have the same name by mistake.
    ///   - pause: seconds between two attempts to get a lock that another node holds. The pause is short, because a
    ///     lock may also become free without a message.
    package init(
        redis: any RedisCommands, tier: FleetTier, stamps: any FleetStamps, prefix: String, instance: String,
        pause: Double = 0.15
    ) {
        self.redis = redis
        self.tier = tier
        self.stamps = stamps
        self.prefix = prefix
        own = "\(instance):"
        self.pause = pause
        leases = LockLeases(redis: redis)
    }

    /// Counts of results of lock requests since the start. A request has two results if another node announced the
    /// end of its fetch, and the request then got the lock or no valid answer.
    package var counts: [FleetMetrics.LockResult: Int] { state.withLock { $0 } }

    /// Returns the key of the stream that announces fetched tiles.
    package static func stream(prefix: String) -> String { "\(prefix):tiles" }

    package func looks(into tier: any TileStore) -> Bool { tier as? FleetTier === self.tier }

    // MARK: Messages

    /// Wakes the fetches that wait for the tile of a stream entry.
    package func hear(_ entry: RedisStreamEntry) {
        guard let name = entry["t"] else { return }
        waiters.wake(String(decoding: name, as: UTF8.self))
    }

    /// Records whether this node reads the Redis stream that announces tiles. If the node does not read the stream,
    /// fetches do not wait for other nodes.
    package func setListening(_ isListening: Bool) { waiters.setListening(isListening) }

    // MARK: Entering

    package func enter(_ key: StoreKey, _ request: FillRequest) async -> FillTurn {
        guard redis.isAvailable, stamps.stamp(of: key.namespace.layer) != nil else { return fetch(key, nil) }
        let place = FleetKey(key, prefix: prefix)
        guard let number = waiters.expect(place.name) else {
            if !request.isKnown, let record = await tier.record(for: key) { return .found(record) }
            return fetch(key, nil)
        }
        defer { waiters.remove(place.name, number) }
        let pass = FillPass(token: .random(in: .min ... .max))
        var (isKnown, wait) = (request.isKnown, Wait.none)
        while true {
            switch await ask(for: place, pass, isKnown: isKnown, isFirst: wait == .none) {
            case .granted:
                leases.hold(token(pass), place.lock, seconds: request.timeout)
                count(.acquired)
                if !isKnown { tier.noteMiss() }
                // Another node may have renewed the tile that this node knows.
                return request.isKnown ? look(key, pass) : fetch(key, pass)
            case .tile(let reply):
                guard let record = tier.record(in: reply, for: key) else {
                    isKnown = true
                    continue
                }
                if wait == .polls { count(.waited) }
                return .found(record)
            case .unknown(let mayBeHeld):
                count(.failed)
                guard mayBeHeld else { return fetch(key, nil) }
                // Redis may have granted the lock although its answer was lost. So the fetch renews and releases the
                // lock in any case.
                leases.hold(token(pass), place.lock, seconds: request.timeout)
                return fetch(key, pass)
            case .busy:
                // The fetch of the other node ended without a tile for this node, and another node fetches again. This
                // node does not wait twice.
                if wait == .isOver { return fetch(key, nil) }
                wait = await self.wait(place.name, number, until: request.end)
                if wait == .failed { return fetch(key, nil) }
                // A node that knows a stale tile, or found an unusable value in Redis, looks into all tiers.
                if wait == .isOver, isKnown { return look(key, nil) }
            }
        }
    }

    /// The state of a fetch's wait for another node.
    private enum Wait {
        case none
        /// It is time to ask for the lock again.
        case polls
        /// The other node's fetch has ended.
        case isOver
        /// The wait took too long, its task was cancelled, or no message can arrive.
        case failed
    }

    /// Waits until another node's fetch of the tile `name` has ended, or until it is time to try the lock again.
    /// `number` identifies the waiting fetch. The wait as a whole ends at the time `end`.
    private func wait(_ name: String, _ number: UInt64, until end: MonotonicTime) async -> Wait {
        let left = end.seconds(since: .now())
        switch await waiters.wait(name, number, atMost: max(min(left, pause), 0)) {
        case .told:
            count(.waited)
            return .isOver
        case .left: return .failed
        case .timeout where left <= pause:
            count(.timeout)
            return .failed
        case .timeout: return .polls
        }
    }

    /// Records the stamp of the tile just before its fetch begins.
    private func fetch(_ key: StoreKey, _ pass: FillPass?) -> FillTurn {
        tier.begin(key)
        return .fetch(pass)
    }

    private func look(_ key: StoreKey, _ pass: FillPass?) -> FillTurn {
        tier.begin(key)
        return .look(pass)
    }

    private enum Answer {
        case granted
        /// Another node holds the lock.
        case busy
        /// Redis has a value under the tile's key, in the form of a `GETRANGE` reply.
        case tile(RedisReply)
        /// Redis gave no valid answer. `mayBeHeld`: Redis may have granted the lock.
        case unknown(mayBeHeld: Bool)
    }

    private func ask(for place: FleetKey, _ pass: FillPass, isKnown: Bool, isFirst: Bool) async -> Answer {
        let reply: RedisReply
        do throws(RedisError) {
            reply = try await redis.run(
                LockScript.acquire,
                keys: [RedisArgument(place.lock), RedisArgument(place.waiters), RedisArgument(place.tile)],
                [
                    RedisArgument(token(pass)), RedisArgument(Int(LockLeases.life * 1_000)), RedisArgument(own),
                    RedisArgument(isKnown ? 1 : 0), RedisArgument(FleetValue.mostEncoded),
                    RedisArgument(isFirst ? 1 : 0),
                ])
        } catch {
            return .unknown(mayBeHeld: error != .unavailable)
        }
        guard case .array(let parts) = reply, case .integer(let code) = parts.first else {
            return .unknown(mayBeHeld: true)
        }
        switch (code, parts.count) {
        case (0, 1): return .busy
        case (1, 1): return .granted
        case (2, 2): return .tile(parts[1])
        // The reply of `GETRANGE` for a key that holds no string.
        case (3, 1): return .tile(.error(Array("WRONGTYPE".utf8)))
        default: return .unknown(mayBeHeld: true)
        }
    }

    private func token(_ pass: FillPass) -> String { own + String(pass.token, radix: 16) }

    private func count(_ result: FleetMetrics.LockResult) {
        state.withLock { $0[result, default: 0] += 1 }
    }

    // MARK: Leaving

    package func leave(_ key: StoreKey, with pass: FillPass, isKept: Bool) {
        let (place, text) = (FleetKey(key, prefix: prefix), token(pass))
        Task { [redis, tier, prefix, leases] in
            let token = RedisArgument(text)
            // The lock is also renewed while the tile is written to Redis. A renewal never creates a lock.
            defer { leases.end(text) }
            // If Redis does not answer, the lock expires and the waiting nodes ask again.
            let waiting = try? await redis.run(
                LockScript.release, keys: [RedisArgument(place.lock), RedisArgument(place.waiters)], [token])
            guard waiting == .integer(1) else { return }
            if isKept { await tier.putNow(key) }
            _ = try? await redis.run(
                LockScript.announce,
                keys: [
                    RedisArgument(place.lock), RedisArgument(place.waiters), RedisArgument(Self.stream(prefix: prefix)),
                ], [token, RedisArgument(place.name)])
        }
    }
}
