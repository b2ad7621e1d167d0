import Runtime
import TileCache

/// Tiles that this node has fetched but not yet put into Redis. A tile goes to Redis when enough requests have asked
/// for it, or when another node waits for it. The oldest tiles are removed first.
struct FleetCandidates {
    struct Candidate {
        let record: TileRecord
        let stamp: StreamID
        fileprivate let number: Int
        /// Number of requests for the tile, its fetch included.
        fileprivate(set) var uses: Int
    }

    private var candidates: [StoreKey: Candidate] = [:]
    /// The tiles in the order of their arrival. Some of these tiles were removed already.
    private var order = FIFO<(key: StoreKey, number: Int)>()
    private var last = 0
    /// Bytes of all tiles, overhead included.
    private(set) var bytes = 0
    private let mostBytes: Int

    /// Bytes of memory that a tile needs beside its content.
    private static let overhead = 512

    init(mostBytes: Int) {
        self.mostBytes = mostBytes
    }

    var isEmpty: Bool { candidates.isEmpty }

    /// Adds a tile, and replaces an earlier tile under `key`. Removes the oldest tiles if the tiles need too much
    /// memory.
    mutating func add(_ record: TileRecord, _ stamp: StreamID, for key: StoreKey) {
        remove(key)
        last += 1
        candidates[key] = Candidate(record: record, stamp: stamp, number: last, uses: 1)
        order.append((key, last))
        bytes += Self.cost(record)
        while bytes > mostBytes, let oldest = order.popFirst() {
            if candidates[oldest.key]?.number == oldest.number { remove(oldest.key) }
        }
        // Removed tiles leave `order` only when room is short, and could pile up otherwise.
        if order.count > 2 * candidates.count + 1_024 { forgetGone() }
    }

    private mutating func forgetGone() {
        var kept = FIFO<(key: StoreKey, number: Int)>()
        while let next = order.popFirst() {
            if candidates[next.key]?.number == next.number { kept.append(next) }
        }
        order = kept
    }

    /// Counts a use of the tile under `key`. Removes and returns the tile if it has at least `uses` uses. Otherwise
    /// returns nil.
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
