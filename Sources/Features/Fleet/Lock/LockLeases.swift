import Dispatch
import Runtime
import RedisClient
import Synchronization

/// Renews the locks in Redis while this node fetches tiles. A lock expires after less than a second if it is not
/// renewed. If a node is killed or hangs, its locks therefore become free soon.
///
/// This is a class because it owns the locks that are held. Thread rule: any thread.
final class LockLeases: Sendable {
    private struct Lease {
        let key: String
        let end: MonotonicTime
    }

    private struct State {
        /// The held locks, by token.
        var leases: [String: Lease] = [:]
        /// True if a renewal is scheduled.
        var isRenewing = false
    }

    private let redis: any RedisCommands
    private let state = Mutex(State())

    /// Seconds that a lock lives without a renewal.
    static let life = 0.7
    /// Seconds between renewals. Two renewals in a row may get lost before a lock expires.
    private static let pause = 0.2
    /// Maximum number of locks in one command. Redis is blocked during a command.
    private static let mostKeys = 256

    init(redis: any RedisCommands) {
        self.redis = redis
    }

    /// Renews the lock `key` until `end` is called, but for `seconds` at most. Redis has granted the lock to `token`,
    /// or may have granted it.
    func hold(_ token: String, _ key: String, seconds: Double) {
        let lease = Lease(key: key, end: .now().adding(seconds: seconds))
        let starts = state.withLock { state in
            state.leases[token] = lease
            defer { state.isRenewing = true }
            return !state.isRenewing
        }
        if starts { renewLater() }
    }

    func end(_ token: String) {
        _ = state.withLock { $0.leases.removeValue(forKey: token) }
    }

    private func renewLater() {
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.pause) { [weak self] in self?.renew() }
    }

    private func renew() {
        let now = MonotonicTime.now()
        let leases = state.withLock { state in
            state.leases = state.leases.filter { $0.value.end > now }
            state.isRenewing = !state.leases.isEmpty
            return Array(state.leases)
        }
        guard !leases.isEmpty else { return }
        for start in stride(from: 0, to: leases.count, by: Self.mostKeys) {
            let part = leases[start..<min(start + Self.mostKeys, leases.count)]
            let keys = part.map { RedisArgument($0.value.key) }
            let arguments = [RedisArgument(Int(Self.life * 1_000))] + part.map { RedisArgument($0.key) }
            // If Redis does not answer, the locks expire and other nodes fetch the tiles too.
            Task { [redis] in _ = try? await redis.run(LockScript.renew, keys: keys, arguments) }
        }
        renewLater()
    }
}
