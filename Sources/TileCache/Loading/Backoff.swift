import Reactor
import Synchronization

/// Which tiles failed lately, and until when they are not asked for again: 1 s after the first failure, doubling to 64 s
/// (model.md 4.4). Bounded: when it is full, what may be asked for again goes first, then anything.
///
/// Thread rule: any thread.
final class Backoff: Sendable {
    private struct Failure {
        var count: Int
        var until: MonotonicTime
        var isLasting: Bool
    }

    private static let longest = 64
    private let capacity: Int
    private let failures = Mutex<[TileKey: Failure]>([:])

    init(capacity: Int = 65_536) {
        self.capacity = capacity
    }

    /// Whole seconds that `key` must still wait, rounded up, at least 1; nil where it may be asked for.
    func remaining(_ key: TileKey, now: MonotonicTime) -> Int? {
        failures.withLock { failures in
            guard let failure = failures[key], failure.until > now else { return nil }
            return max(Int(failure.until.seconds(since: now).rounded(.up)), 1)
        }
    }

    /// Whether the last failure of `key` was one that is the same every time.
    func isLasting(_ key: TileKey) -> Bool {
        failures.withLock { $0[key]?.isLasting ?? false }
    }

    /// Notes a failure, of which one that `isLasting` is the same every time; returns the seconds to wait.
    func failed(_ key: TileKey, isLasting: Bool = false, now: MonotonicTime) -> Int {
        failures.withLock { failures in
            let count = isLasting ? 7 : min((failures[key]?.count ?? 0) + 1, 7)
            if failures[key] == nil, failures.count >= capacity { Self.makeRoom(in: &failures, now: now) }
            let seconds = min(1 << (count - 1), Self.longest)
            failures[key] = Failure(
                count: count, until: now.adding(seconds: Double(seconds)), isLasting: isLasting)
            return seconds
        }
    }

    func succeeded(_ key: TileKey) {
        failures.withLock { failures in
            // The common case, a layer that never fails, hashes nothing.
            if !failures.isEmpty { failures[key] = nil }
        }
    }

    /// Lets all keys that are `meant` be asked for at once.
    func forget(_ meant: (TileKey) -> Bool) {
        failures.withLock { failures in failures = failures.filter { !meant($0.key) } }
    }

    private static func makeRoom(in failures: inout [TileKey: Failure], now: MonotonicTime) {
        let full = failures.count
        failures = failures.filter { $0.value.until > now }
        if failures.count == full { failures.removeAll(keepingCapacity: true) }
    }
}
