import HTTPClient

/// Joins requests for byte ranges of one file, so that one HTTP request can serve several callers. Ranges that lie
/// close together become one range. If a waiting or running fetch already covers the range of a new request, the
/// request shares this fetch.
struct RangeBatches<ID: Hashable & Sendable>: Sendable {
    /// One range that a single HTTP request fetches, and the callers that need parts of its bytes. `wishes` has an
    /// element for each request of a caller: the ID that the caller gave, and the range that the caller needs.
    struct Batch: Sendable {
        var range: ByteRange
        var wishes: [(id: ID, range: ByteRange)]

        /// Adds the callers of `other` to this batch. `joined` becomes the range of this batch, and must contain the
        /// ranges of both batches.
        fileprivate mutating func join(_ other: Batch, _ joined: ByteRange) {
            range = joined
            wishes += other.wishes
        }
    }

    /// Maximum number of bytes between two ranges that one request may fetch together. No caller needs the bytes
    /// between the ranges, but fetching them takes less time than a second request.
    static var widestGap: Int { 16_384 }
    /// Maximum bytes of a joined range.
    static var longest: Int { 1 << 20 }

    private var waiting: [Batch] = []
    private var inFlight: [Int: Batch] = [:]
    private var last = 0

    /// Adds the request of the caller `id` for `range`. Returns true if `range` is now the only waiting range: the
    /// caller must then schedule a call of `take`.
    mutating func add(_ range: ByteRange, for id: ID) -> Bool {
        // An in-flight range keeps its bytes until all its callers have them.
        if let (number, _) = inFlight.first(where: { $0.value.range.contains(range) }) {
            inFlight[number]?.wishes.append((id, range))
            return false
        }
        waiting.append(Batch(range: range, wishes: [(id, range)]))
        return waiting.count == 1
    }

    /// Joins the waiting ranges, and returns the ranges to fetch now. `number` identifies the fetch of a range. After
    /// each fetch, the caller must call `end` with this number.
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

    /// Ends the fetch with the number `number`. Returns the callers that wait for this fetch, each with the range that
    /// the caller needs. Returns no callers if this fetch has already ended.
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
