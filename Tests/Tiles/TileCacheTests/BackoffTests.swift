import Runtime
import Testing

@testable import TileCache

/// Tests for the back-off of docs/spec/model.md 4.4: min(1 s · 2^(k-1), 64 s) after k failures in a row.
@Suite struct BackoffTests {
    private let key = makeKey(1, 0, 0)

    @Test func doublesUpTo64Seconds() {
        let backoff = Backoff()
        var now = MonotonicTime.zero
        var waits: [Int] = []
        for _ in 0..<9 {
            waits.append(backoff.failed(key, .unreachable, date: 7, now: now))
            now = now.adding(seconds: 100)
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 64, 64, 64])
    }

    /// A failure that is the same at every attempt waits for the maximum from the first time on.
    @Test func waitsMaximumForPermanentFailure() {
        let backoff = Backoff()
        #expect(backoff.failed(key, .tooComplex, date: 7, now: .zero) == 64)
        backoff.succeeded(key)
        #expect(backoff.failed(key, .failed, date: 7, now: .zero) == 1)
    }

    @Test func roundsRemainingSecondsUp() {
        let backoff = Backoff()
        _ = backoff.failed(key, .unreachable, date: 7, now: .zero)
        #expect(backoff.failed(key, .unreachable, date: 7, now: .zero) == 2)
        let left = [0, 0.5, 1, 1.5, 1.999, 2, 3].map {
            backoff.remaining(key, now: MonotonicTime.zero.adding(seconds: $0))
        }
        #expect(left == [2, 2, 1, 1, 1, nil, nil])
    }

    @Test func restartsAfterSuccess() {
        let backoff = Backoff()
        for _ in 0..<3 { _ = backoff.failed(key, .unreachable, date: 7, now: .zero) }
        backoff.succeeded(key)
        #expect(backoff.remaining(key, now: .zero) == nil)
        #expect(backoff.failed(key, .unreachable, date: 7, now: .zero) == 1)
    }

    @Test func keepsKeysApart() {
        let backoff = Backoff()
        _ = backoff.failed(key, .unreachable, date: 7, now: .zero)
        #expect(backoff.remaining(makeKey(1, 0, 1), now: .zero) == nil)
    }

    @Test func staysWithinItsCapacity() {
        let backoff = Backoff(capacity: 4)
        for y in 0..<4 { _ = backoff.failed(makeKey(10, 0, y), .unreachable, date: 7, now: .zero) }
        // A full table first forgets keys whose wait is over.
        _ = backoff.failed(makeKey(10, 0, 4), .unreachable, date: 7, now: MonotonicTime.zero.adding(seconds: 5))
        #expect(backoff.remaining(makeKey(10, 0, 4), now: MonotonicTime.zero.adding(seconds: 5)) == 1)
        #expect(backoff.remaining(makeKey(10, 0, 0), now: .zero) == nil)
    }

    /// Operators can ask why a tile failed.
    @Test func remembersLastFailure() {
        let backoff = Backoff()
        #expect(backoff.failure(key) == nil)
        _ = backoff.failed(key, .timeout, date: 5, now: .zero)
        _ = backoff.failed(key, .unreachable, message: "TLS", date: 9, now: .zero)
        #expect(backoff.failure(key) == SourceFailure(reason: .unreachable, message: "TLS", date: 9, count: 2))
        // The failure is still known when the wait is over.
        #expect(backoff.remaining(key, now: MonotonicTime.zero.adding(seconds: 100)) == nil)
        #expect(backoff.failure(key)?.count == 2)
        backoff.succeeded(key)
        #expect(backoff.failure(key) == nil)
    }
}
