import HTTPClient

/// Joins requests for ranges of bytes of one file, so that one HTTP request can serve several callers. Ranges that lie
/// close together become one range. A range that is already being fetched is not fetched again.
struct RangeBatches<ID: Hashable & Sendable>: Sendable {
    /// One range that is fetched, and the callers that get parts of its bytes. In `wishes`, each caller has an ID and
    /// the range that this caller has requested.
    struct Batch: Sendable {
        var range: ByteRange
        var wishes: [(id: ID, range: ByteRange)]

        /// Adds the callers of `other`. `joined` becomes the range of this batch, and must contain the ranges of both.
        fileprivate mutating func join(_ other: Batch, _ joined: ByteRange) {
            range = joined
            wishes += other.wishes
        }
    }

    /// Maximum number of bytes between two ranges that are joined. No caller needs these bytes, but fetching them
    /// takes less time than a second request.
    static var widestGap: Int { 16_384 }
    /// Maximum bytes of a joined range.
    static var longest: Int { 1 << 20 }

    private var waiting: [Batch] = []
    private var inFlight: [Int: Batch] = [:]
    private var last = 0

    /// Adds the request of a caller for `range`. `id` identifies the caller. Returns true if no other range is
    /// waiting: the caller must then schedule a call of `take`.
    mutating func add(_ range: ByteRange, for id: ID) -> Bool {
        // An in-flight range keeps its bytes until all its callers have them.
        if let (number, _) = inFlight.first(where: { $0.value.range.contains(range) }) {
            inFlight[number]?.wishes.append((id, range))
            return false
        }
        waiting.append(Batch(range: range, wishes: [(id, range)]))
        return waiting.count == 1
    }

    /// Returns the joined ranges to fetch now, each with its number. After each fetch, the caller must call `end` with
    /// the number of the range.
    mutating func take() -> [(number: Int, range: ByteRange)] {
        var batches: [Batch] = []
        for batch in waiting.sorted(by: { $0.range.first < $1.range.first }) {
            if let joined = batches.last?.range.joined(with: batch.range, gap: Self.widestGap, longest: Self.longest) {
                batches[batches.count - 1].join(batch, joined)
            } else {
                batches.append(batch)
            }
        }
        waiting = []
        return batches.map { batch in
            last += 1
            inFlight[last] = batch
            return (last, batch.range)
        }
    }

    /// Ends a fetch. Returns its callers.
    mutating func end(_ number: Int) -> [(id: ID, range: ByteRange)] {
        inFlight.removeValue(forKey: number)?.wishes ?? []
    }
}

extension ByteRange {
    fileprivate var end: Int { first + count }

    fileprivate func contains(_ other: ByteRange) -> Bool { first <= other.first && other.end <= end }

    /// Returns one range that contains this range and `other`. `other` must not begin before this range. Returns nil
    /// if more than `gap` bytes lie between the ranges, or if the result has more than `longest` bytes. If `other`
    /// lies within this range, always returns this range.
    fileprivate func joined(with other: ByteRange, gap: Int, longest: Int) -> ByteRange? {
        if contains(other) { return self }
        guard other.first - end <= gap, other.end - first <= longest else { return nil }
        return ByteRange(first: first, count: other.end - first)
    }
}
