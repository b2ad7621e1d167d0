import Runtime
import Synchronization
import Tiles

/// Delays the next fetch of a tile after a failed fetch. The delay is 1 s after the first failure, and doubles with
/// each further failure up to 64 s. A tile that is too complex gets 64 s at once. If too many tiles are remembered,
/// tiles whose delay is over are forgotten. If there are no such tiles, all are forgotten.
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

    /// Returns the whole seconds until `key` may be fetched, rounded up and at least 1. Nil if it may be fetched now.
    func remaining(_ key: TileKey, now: MonotonicTime) -> Int? {
        entries.withLock { entries in
            guard let entry = entries[key], entry.until > now else { return nil }
            return max(Int(entry.until.seconds(since: now).rounded(.up)), 1)
        }
    }

    /// Returns the last failure of `key`. Nil if no failure is remembered. A success forgets the failure.
    func failure(_ key: TileKey) -> SourceFailure? {
        entries.withLock { $0[key]?.failure }
    }

    /// Records that a fetch has failed at the time `date` in seconds since 1970. Returns the number of seconds until
    /// the next fetch may start.
    func failed(
        _ key: TileKey, _ reason: Unavailability, message: String? = nil, date: Int, now: MonotonicTime
    ) -> Int {
        entries.withLock { entries in
            let count = (entries[key]?.failure.count ?? 0) + 1
            if entries[key] == nil, entries.count >= capacity { Self.makeRoom(in: &entries, now: now) }
            // A failure that repeats on every attempt gets the longest delay at once.
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
            // Usually no tile of any layer has failed lately. Then a success costs no hashing.
            if !entries.isEmpty { entries[key] = nil }
        }
    }

    /// Allows all matching keys to be fetched at once.
    func reset(where matches: (TileKey) -> Bool) {
        entries.withLock { entries in entries = entries.filter { !matches($0.key) } }
    }

    private static func makeRoom(in entries: inout [TileKey: Entry], now: MonotonicTime) {
        let full = entries.count
        entries = entries.filter { $0.value.until > now }
        if entries.count == full { entries.removeAll(keepingCapacity: true) }
    }
}

/// A failed attempt to get a tile from its layer.
package struct SourceFailure: Sendable, Hashable {
    package let reason: Unavailability
    /// A description of the failure for the operator. Nil if `reason` is enough.
    package let message: String?
    /// The time of the failure in seconds since 1970.
    package let date: Int
    /// Number of failures in a row.
    package let count: Int
}
