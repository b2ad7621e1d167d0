import Runtime
import Synchronization
import Tiles

/// Which tiles failed lately, how, and until when they are not asked for again: 1 s after the first failure, doubling to
/// 64 s. Bounded: when it is full, what may be asked for again goes first, then anything.
///
/// Thread rule: any thread.
final class Backoff: Sendable {
    private struct Entry {
        var failure: SourceFailure
        var until: MonotonicTime
    }

    private static let longest = 64
    /// The exponent of `longest`.
    private static let doublings = 6
    private let capacity: Int
    private let entries = Mutex<[TileKey: Entry]>([:])

    init(capacity: Int = 65_536) {
        self.capacity = capacity
    }

    /// Whole seconds that `key` must still wait, rounded up, at least 1; nil where it may be asked for.
    func remaining(_ key: TileKey, now: MonotonicTime) -> Int? {
        entries.withLock { entries in
            guard let entry = entries[key], entry.until > now else { return nil }
            return max(Int(entry.until.seconds(since: now).rounded(.up)), 1)
        }
    }

    /// How `key` failed the last time it was asked for; nil where it did not, or is not remembered.
    func failure(_ key: TileKey) -> SourceFailure? {
        entries.withLock { $0[key]?.failure }
    }

    /// Notes a failure at the second `date` since 1970; returns the seconds to wait.
    func failed(
        _ key: TileKey, _ reason: Unavailability, message: String? = nil, date: Int, now: MonotonicTime
    ) -> Int {
        entries.withLock { entries in
            let count = (entries[key]?.failure.count ?? 0) + 1
            if entries[key] == nil, entries.count >= capacity { Self.makeRoom(in: &entries, now: now) }
            // What is the same every time need not be tried soon.
            let isLasting = reason == .tooComplex
            let seconds = isLasting ? Self.longest : min(1 << min(count - 1, Self.doublings), Self.longest)
            entries[key] = Entry(
                failure: SourceFailure(reason: reason, message: message, date: date, count: count),
                until: now.adding(seconds: Double(seconds)))
            return seconds
        }
    }

    func succeeded(_ key: TileKey) {
        entries.withLock { entries in
            // The common case, a layer that never fails, hashes nothing.
            if !entries.isEmpty { entries[key] = nil }
        }
    }

    /// Lets all keys that match be asked for at once.
    func reset(where matches: (TileKey) -> Bool) {
        entries.withLock { entries in entries = entries.filter { !matches($0.key) } }
    }

    private static func makeRoom(in entries: inout [TileKey: Entry], now: MonotonicTime) {
        let full = entries.count
        entries = entries.filter { $0.value.until > now }
        if entries.count == full { entries.removeAll(keepingCapacity: true) }
    }
}

/// How a layer failed to answer for a tile.
package struct SourceFailure: Sendable, Hashable {
    package let reason: Unavailability
    /// What went wrong, in words; nil where `reason` says it all.
    package let message: String?
    /// When, in seconds since 1970.
    package let date: Int
    /// Failures in a row.
    package let count: Int
}
