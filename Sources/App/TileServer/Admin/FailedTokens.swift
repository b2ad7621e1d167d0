import Runtime
import Synchronization

/// Counts the wrong admin tokens of each peer, to tell a peer with too many how long to wait. The count does not lead
/// to the refusal of the right token. Peers are identified by `ClientAddress`. Thread rule: any thread.
final class FailedTokens: Sendable {
    /// Number of failures without a wait, within `window` seconds of the first failure.
    static let free = 10
    static let window = 60.0
    /// Maximum number of known peers. If the table is full, a new peer should wait after its first failure.
    static let capacity = 1_024

    private struct Count {
        let began: MonotonicTime
        var failures = 0
    }

    private let counts = Mutex<[ClientAddress: Count]>([:])

    /// Records a wrong token from `peer`, which is an address as text. Returns the number of seconds that the peer
    /// should wait, at least 1. Returns nil if the peer need not wait.
    func add(_ peer: String, at now: MonotonicTime) -> Int? {
        let key = ClientAddress(peer)
        return counts.withLock { counts in
            if counts[key] == nil, counts.count >= Self.capacity {
                counts = counts.filter { now.seconds(since: $1.began) < Self.window }
                guard counts.count < Self.capacity else { return Int(Self.window) }
            }
            var count = counts[key] ?? Count(began: now)
            if now.seconds(since: count.began) >= Self.window { count = Count(began: now) }
            count.failures += 1
            counts[key] = count
            guard count.failures > Self.free else { return nil }
            return max(Int((Self.window - now.seconds(since: count.began)).rounded(.up)), 1)
        }
    }
}
