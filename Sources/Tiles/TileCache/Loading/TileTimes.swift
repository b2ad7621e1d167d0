import Synchronization

/// Measures how long the cache misses of a layer take in each stage, such as the disk or the source. A request that
/// finds its tile in memory is not measured.
///
/// This is a class because all sources of a layer share one object. Thread rule: any thread. Each measurement takes a
/// lock.
package final class TileTimes: Sendable {
    fileprivate struct State {
        /// The durations by the position of the stage. Nil for a stage without a note.
        var stages = [Durations?](repeating: nil, count: TileStage.allCases.count)
        /// The last `recentCount` durations of the stage `source`, in seconds. When the array is full, `next` is the
        /// index of the oldest.
        var recent: [Float] = []
        var next = 0
    }

    private let state = Mutex(State())

    /// Maximum number of fetches from which the 95th percentile is computed.
    private static let recentCount = 64
    /// Minimum number of fetches for an estimate.
    private static let fewestRecent = 8

    init() {}

    /// Records the duration of `stage`.
    package func note(_ stage: TileStage, nanoseconds: Int) {
        let seconds = Double(max(nanoseconds, 0)) / 1e9
        state.withLock { state in
            if state.stages[stage.position]?.add(seconds) == nil {
                var durations = Durations()
                durations.add(seconds)
                state.stages[stage.position] = durations
            }
            if stage == .source { state.noteRecent(Float(seconds), atMost: Self.recentCount) }
        }
    }

    /// The 95th percentile of the last fetches of the layer, in seconds. Nil if there were fewer than eight.
    var recent95th: Double? {
        let recent = state.withLock { $0.recent }
        guard recent.count >= Self.fewestRecent else { return nil }
        return Double(recent.sorted()[recent.count * 95 / 100])
    }

    /// All durations since this object was made. A stage without a note has no entry.
    package var all: [TileStage: Durations] {
        let noted = state.withLock { $0.stages }
        return TileStage.allCases.reduce(into: [:]) { $0[$1] = noted[$1.position] }
    }
}

extension TileTimes.State {
    fileprivate mutating func noteRecent(_ seconds: Float, atMost count: Int) {
        guard recent.count == count else { return recent.append(seconds) }
        recent[next] = seconds
        next = (next + 1) % count
    }
}

/// A stage of a request for a tile that memory does not hold.
public enum TileStage: String, Sendable, CaseIterable {
    /// The first look for the tile in the tiers behind memory.
    case disk
    /// Asking the layer's source, from the request to its answer: a fetch, a read or a drawing. Includes the wait in
    /// the queue.
    case source
    /// Making another size or format from the source's tile, or cutting the tile out of a tile of a lower zoom.
    /// Includes the stages of the tile that it is made from, if that is missing too.
    case rendition
    /// The whole request until its answer.
    case total

    /// Index in `allCases`.
    fileprivate var position: Int {
        switch self {
        case .disk: 0
        case .source: 1
        case .rendition: 2
        case .total: 3
        }
    }
}

/// A histogram of durations: for each range of durations, the number of measurements.
public struct Durations: Sendable, Equatable {
    /// Upper bounds of the buckets in seconds, inclusive. The last bucket has no bound.
    public static let bounds = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]
    /// Number of durations in each bucket. There is one more bucket than there are bounds.
    public private(set) var counts = [Int](repeating: 0, count: Durations.bounds.count + 1)
    /// Sum of all durations in seconds.
    public private(set) var sum = 0.0

    /// Makes an empty histogram.
    public init() {}

    /// Number of all durations.
    public var count: Int { counts.reduce(0, +) }

    mutating func add(_ seconds: Double) {
        counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
        sum += seconds
    }
}
