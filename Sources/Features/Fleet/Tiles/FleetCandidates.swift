import Runtime
import TileCache

/// Tiles that were fetched here and may be put into Redis once they are asked for again, the oldest first.
struct FleetCandidates {
    struct Candidate {
        let record: TileRecord
        let stamp: StreamID
        fileprivate let number: Int
        /// How often it was loaded or found.
        fileprivate(set) var uses: Int
    }

    private var candidates: [StoreKey: Candidate] = [:]
    /// In the order in which they came; some of these are gone.
    private var order = FIFO<(key: StoreKey, number: Int)>()
    private var last = 0
    /// Of all that are kept here.
    private(set) var bytes = 0
    private let mostBytes: Int

    /// What one takes beside its tile.
    private static let overhead = 512

    init(mostBytes: Int) {
        self.mostBytes = mostBytes
    }

    var isEmpty: Bool { candidates.isEmpty }

    /// In place of what was there under `key`. The oldest make room.
    mutating func add(_ record: TileRecord, _ stamp: StreamID, for key: StoreKey) {
        remove(key)
        last += 1
        candidates[key] = Candidate(record: record, stamp: stamp, number: last, uses: 1)
        order.append((key, last))
        bytes += Self.cost(record)
        while bytes > mostBytes, let oldest = order.popFirst() {
            if candidates[oldest.key]?.number == oldest.number { remove(oldest.key) }
        }
        // Those that are gone would pile up where few are added for want of room.
        if order.count > 2 * candidates.count + 1_024 { forgetGone() }
    }

    private mutating func forgetGone() {
        var kept = FIFO<(key: StoreKey, number: Int)>()
        while let next = order.popFirst() {
            if candidates[next.key]?.number == next.number { kept.append(next) }
        }
        order = kept
    }

    /// Counts a use of the tile under `key`; takes it out where it has come to `uses` of them.
    mutating func use(_ key: StoreKey, upTo uses: Int) -> Candidate? {
        guard candidates[key] != nil else { return nil }
        candidates[key]?.uses += 1
        guard let candidate = candidates[key], candidate.uses >= uses else { return nil }
        return remove(key)
    }

    @discardableResult
    mutating func remove(_ key: StoreKey) -> Candidate? {
        guard let candidate = candidates.removeValue(forKey: key) else { return nil }
        bytes -= Self.cost(candidate.record)
        return candidate
    }

    mutating func removeAll(where matches: (StoreKey) -> Bool) {
        for key in candidates.keys.filter(matches) { remove(key) }
    }

    static func cost(_ record: TileRecord) -> Int {
        guard case .tile(let tile, _) = record.content else { return overhead }
        return tile.bytes.count + overhead
    }
}
