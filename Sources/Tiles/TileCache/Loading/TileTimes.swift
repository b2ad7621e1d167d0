import Synchronization

/// How long the tiles of a layer took that memory did not have, by stage.
///
/// A class, because all sources of a layer share one. Thread rule: any thread; a note costs a lock, and a hit makes none.
package final class TileTimes: Sendable {
    fileprivate struct State {
        /// By the stages' positions; nil for one that never was.
        var stages = [Durations?](repeating: nil, count: TileStage.allCases.count)
        /// The last `recentCount` durations of the stage `source`, in seconds; `next` is the place of the oldest once all are there.
        var recent: [Float] = []
        var next = 0
    }

    private let state = Mutex(State())

    /// How many fetches a layer's 95th percentile is taken of.
    private static let recentCount = 64
    /// Fewer fetches say nothing of the next one.
    private static let fewestRecent = 8

    init() {}

    /// Notes that `stage` took so many nanoseconds.
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

    /// Seconds that 95 of 100 of the layer's last fetches took at most; nil if there were fewer than eight.
    var recent95th: Double? {
        let recent = state.withLock { $0.recent }
        guard recent.count >= Self.fewestRecent else { return nil }
        return Double(recent.sorted()[recent.count * 95 / 100])
    }

    /// What was noted since the layer was made; no entry for a stage that never was.
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

/// A part of the way to a tile that memory does not have.
public enum TileStage: String, Sendable, CaseIterable {
    /// Looking for the tile in the tiers behind memory.
    case disk
    /// From the question to the layer's source to its answer, the wait for its turn included: a fetch, a read, a drawing.
    case source
    /// Making another size or format of the source's tile, or cutting it out of one above; where that tile is not there either, its
    /// stages are part of this one.
    case rendition
    /// From the request to its answer.
    case total

    /// Its index in `allCases`.
    fileprivate var position: Int {
        switch self {
        case .disk: 0
        case .source: 1
        case .rendition: 2
        case .total: 3
        }
    }
}

/// Durations, counted by how long they were.
public struct Durations: Sendable, Equatable {
    /// The longest that each bucket but the last counts, in seconds.
    public static let bounds = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]
    /// By bucket, one more than there are bounds: how many were no longer than its bound and longer than that of the one before.
    public private(set) var counts = [Int](repeating: 0, count: Durations.bounds.count + 1)
    /// Of all of them, in seconds.
    public private(set) var sum = 0.0

    /// None.
    public init() {}

    /// How many there are.
    public var count: Int { counts.reduce(0, +) }

    mutating func add(_ seconds: Double) {
        counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
        sum += seconds
    }
}
