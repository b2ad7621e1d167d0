import MapGeometry
import Synchronization

@testable import TileCache

/// What happened in a schedule, in the order of its time, which each event moves on by one.
final class ScheduleLedger: Sendable {
    struct Clear: Sendable {
        /// Nil: the whole layer.
        let coordinate: TileCoordinate?
        let began: Int
        var ended: Int?
    }

    struct Request: Sendable {
        let coordinate: TileCoordinate
        let began: Int
        var answers = 0
        var isCancelled = false
    }

    struct State {
        var time = 0
        var steps: [String] = []
        var broken: [String] = []
        /// How often each kind of event came.
        var seen: [String: Int] = [:]
        /// By its label, when a tile's source was asked for the tile.
        var made: [String: Int] = [:]
        /// How often a tile of a label was described, which each end of a fetch does once for its answer.
        var described: [String: Int] = [:]
        var requests: [Request] = []
        var clears: [Clear] = []
        /// By token, how often the gate was left with each pass that it gave.
        var passes: [UInt64: Int] = [:]
        var fetches: [InFlightFetch] = []
        /// Which of `fetches` were ended at their deadlines.
        var late: Set<ObjectIdentifier> = []
        /// For which of `fetches` the source was asked.
        var asked: Set<ObjectIdentifier> = []
    }

    private let state = Mutex(State())

    func with<Value: Sendable>(_ body: (inout State) -> Value) -> Value { state.withLock { body(&$0) } }

    /// Moves the time on and returns it.
    func tick() -> Int {
        with { state in
            state.time += 1
            return state.time
        }
    }

    func saw(_ kind: String) { with { $0.seen[kind, default: 0] += 1 } }

    /// Notes an invariant that does not hold.
    func breaks(_ invariant: String) { with { $0.broken.append(invariant) } }

    /// Remembers fetches that are in flight.
    func note(_ fetches: [InFlightFetch]) {
        state.withLock { state in
            for fetch in fetches where !state.fetches.contains(where: { $0 === fetch }) { state.fetches.append(fetch) }
        }
    }

    /// Remembers an answer that a request got, and checks it.
    func receive(_ loaded: Loaded, _ request: Int) {
        saw("answer: \(loaded.kind)")
        let label = loaded.label
        state.withLock { state in
            state.requests[request].answers += 1
            let asked = state.requests[request]
            if asked.answers > 1 { state.broken.append("a request gets one answer") }
            // The source gives up for a cancelled task alone.
            if loaded.unavailability == .overloaded, !asked.isCancelled {
                state.broken.append("a request gets no answer that was given up for another")
            }
            guard let label else { return }
            guard label.hasPrefix("\(asked.coordinate) ") else {
                return state.broken.append("a request for \(asked.coordinate) gets its tile, and not \(label)")
            }
            for clear in state.clears where clear.coordinate == nil || clear.coordinate == asked.coordinate {
                guard let ended = clear.ended, ended < asked.began, let made = state.made[label] else { continue }
                guard made < clear.began else { continue }
                state.broken.append("after a clear nobody gets \(label), which was made before")
            }
        }
    }
}

extension Loaded {
    fileprivate var label: String? {
        if case .tile(let entry)? = cachedTile?.content { entry.tile.label } else { nil }
    }
}
