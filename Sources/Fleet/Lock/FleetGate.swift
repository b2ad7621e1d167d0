import Dispatch
import RedisClient
import Synchronization
import TileCache

/// Has one server of the fleet fetch a tile while the others wait for it: a key in Redis that the first sets (`SET NX PX`), with a
/// token of its own; the others count themselves beside it, and hear through a stream that it is done.
///
/// Whatever is wrong with Redis, everybody fetches.
///
/// A class to own those who wait. Thread rule: any thread.
package final class FleetGate: FillGate {
    /// What became of questions who fetches, since the start.
    package struct Counts: Sendable, Equatable {
        /// This server did, for all.
        package var acquired = 0
        /// Another did, and was done in time.
        package var waited = 0
        /// Another did, and was not.
        package var timeouts = 0
        /// Redis did not say.
        package var failed = 0
    }

    fileprivate enum Wake {
        /// The other server is done.
        case told
        case timeout
        /// Nobody waits any more, or nothing would be heard.
        case left
    }

    fileprivate enum Waiter {
        case expected
        case waiting(CheckedContinuation<Wake, Never>)
        case woken(Wake)
    }

    fileprivate struct State {
        /// By the tile's name, and a number for each.
        var waiters: [String: [UInt64: Waiter]] = [:]
        var last: UInt64 = 0
        var isListening = false
        var counts = Counts()
    }

    private let redis: any RedisCommands
    private let tier: FleetTier
    private let stamps: any FleetStamps
    private let prefix: String
    private let state = Mutex(State())

    /// - Parameters:
    ///   - tier: where those who wait look for the tile.
    ///   - prefix: of all keys.
    package init(redis: any RedisCommands, tier: FleetTier, stamps: any FleetStamps, prefix: String) {
        self.redis = redis
        self.tier = tier
        self.stamps = stamps
        self.prefix = prefix
    }

    package var counts: Counts { state.withLock { $0.counts } }

    /// The stream that says which tiles are there.
    package static func stream(prefix: String) -> String { "\(prefix):tiles" }

    // MARK: What is heard

    /// Takes an entry of the stream.
    package func hear(_ entry: RedisStreamEntry) {
        guard let name = entry["t"] else { return }
        wake(String(decoding: name, as: UTF8.self))
    }

    /// Whether the stream is read. While it is not, nobody waits.
    package func setListening(_ isListening: Bool) {
        let waiting = state.withLock { state in
            state.isListening = isListening
            return isListening ? [] : Array(state.waiters.keys)
        }
        for name in waiting { wake(name, with: .left) }
    }

    private func wake(_ name: String, with wake: Wake = .told) {
        let woken = state.withLock { state in
            let numbers = state.waiters[name]?.keys.map(\.self) ?? []
            return numbers.compactMap { state.wake(name, $0, with: wake) }
        }
        for continuation in woken { continuation.resume(returning: wake) }
    }

    // MARK: Entering

    package func enter(_ key: StoreKey, timeout: Double) async -> FillTurn {
        tier.begin(key)
        guard redis.isAvailable, stamps.stamp(of: key.namespace.layer) != nil else { return .fetch(nil) }
        let place = FleetKey(key, prefix: prefix)
        // Before the question: the other may be done before its answer is here.
        let number = state.withLock { state -> UInt64? in
            guard state.isListening else { return nil }
            state.last += 1
            state.waiters[place.name, default: [:]][state.last] = .expected
            return state.last
        }
        guard let number else { return .fetch(nil) }
        defer { state.withLock { $0.remove(place.name, number) } }
        let pass = FillPass(token: .random(in: .min ... .max))
        let milliseconds = Int(min(max(timeout, 0.001), 3_600) * 1_000)
        let reply = try? await redis.run(
            LockScript.acquire,
            keys: [RedisArgument(place.lock), RedisArgument(place.waiters), RedisArgument(place.tile)],
            [RedisArgument(pass.text), RedisArgument(milliseconds)])
        switch reply {
        case .integer(1):
            count { $0.acquired += 1 }
            return .fetch(pass)
        case .integer(2):
            count { $0.acquired += 1 }
            return .look(pass)
        case .integer(0):
            // The rest of the time is for a fetch of our own.
            let wake = await wait(place.name, number, atMost: timeout / 2)
            count { counts in
                switch wake {
                case .told: counts.waited += 1
                case .timeout: counts.timeouts += 1
                case .left: break
                }
            }
            tier.begin(key)
            if case .told = wake { return .look(nil) }
            return .fetch(nil)
        default:
            count { $0.failed += 1 }
            return .fetch(nil)
        }
    }

    private func wait(_ name: String, _ number: UInt64, atMost seconds: Double) async -> Wake {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let early = state.withLock { state -> Wake? in
                    if case .woken(let wake) = state.waiters[name]?[number] { return wake }
                    state.waiters[name]?[number] = .waiting(continuation)
                    return nil
                }
                if let early { return continuation.resume(returning: early) }
                DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in
                    self?.end(name, number, with: .timeout)
                }
            }
        } onCancel: {
            end(name, number, with: .left)
        }
    }

    private func end(_ name: String, _ number: UInt64, with wake: Wake) {
        state.withLock { $0.wake(name, number, with: wake) }?.resume(returning: wake)
    }

    private func count(_ change: (inout Counts) -> Void) {
        state.withLock { change(&$0.counts) }
    }

    // MARK: Leaving

    package func leave(_ key: StoreKey, with pass: FillPass, isKept: Bool) {
        let place = FleetKey(key, prefix: prefix)
        Task { [redis, tier, prefix] in
            let token = RedisArgument(pass.text)
            // Where Redis does not answer the lock ends by itself, and nobody hears of the tile: they wait for half of the time.
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

extension FleetGate.State {
    /// Whom to resume with `wake`.
    fileprivate mutating func wake(
        _ name: String, _ number: UInt64, with wake: FleetGate.Wake
    ) -> CheckedContinuation<FleetGate.Wake, Never>? {
        guard let waiter = waiters[name]?[number] else { return nil }
        switch waiter {
        case .woken: return nil
        case .expected:
            waiters[name]?[number] = .woken(wake)
            return nil
        case .waiting(let continuation):
            waiters[name]?[number] = .woken(wake)
            return continuation
        }
    }

    fileprivate mutating func remove(_ name: String, _ number: UInt64) {
        waiters[name]?[number] = nil
        if waiters[name]?.isEmpty == true { waiters[name] = nil }
    }
}

extension FillPass {
    fileprivate var text: String { String(token, radix: 16) }
}
