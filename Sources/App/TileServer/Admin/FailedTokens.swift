import Runtime
import Synchronization

/// Counts how often a peer sent a wrong token of late: a peer that guesses has to wait.
///
/// Peers are told apart as `ClientAddress` does it. Thread rule: any thread.
final class FailedTokens: Sendable {
    /// Failures that cost nothing, within `window` seconds of the first.
    static let free = 10
    static let window = 60.0
    /// Peers that are known at a time. While that many are, the next one waits from its first failure on.
    static let capacity = 1_024

    private struct Count {
        let began: MonotonicTime
        var failures = 0
    }

    private let counts = Mutex<[ClientAddress: Count]>([:])

    /// Takes note of a failure of `peer`, an address as text. Returns the seconds, at least one, that it has to wait where it
    /// failed too often.
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
