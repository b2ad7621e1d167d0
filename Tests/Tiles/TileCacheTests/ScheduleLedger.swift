import MapGeometry
import Synchronization

@testable import TileCache

/// The record of events in a schedule. Each event advances the schedule's time by one.
final class ScheduleLedger: Sendable {
    struct Clear: Sendable {
        /// The cleared tile, or nil for the whole layer.
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
        /// Number of events of each kind.
        var seen: [String: Int] = [:]
        /// The time at which the source was asked for a tile, by the tile's label.
        var made: [String: Int] = [:]
        /// Number of times that a tile was described, by its label. The end of a fetch describes its tile once.
        var described: [String: Int] = [:]
        var requests: [Request] = []
        var clears: [Clear] = []
        /// Number of times that a pass was returned, by its token.
        var passes: [UInt64: Int] = [:]
        var fetches: [InFlightFetch] = []
        /// The fetches that ended at their deadlines.
        var late: Set<ObjectIdentifier> = []
        /// The fetches for which the source was asked.
        var asked: Set<ObjectIdentifier> = []
    }

    private let state = Mutex(State())

    func with<Value: Sendable>(_ body: (inout State) -> Value) -> Value { state.withLock { body(&$0) } }

    /// Advances the time by one and returns it.
    func tick() -> Int {
        with { state in
            state.time += 1
            return state.time
        }
    }

    func saw(_ kind: String) { with { $0.seen[kind, default: 0] += 1 } }

    /// Records a violated invariant.
    func breaks(_ invariant: String) { with { $0.broken.append(invariant) } }

    /// Records fetches that are in flight.
    func note(_ fetches: [InFlightFetch]) {
        state.withLock { state in
            for fetch in fetches where !state.fetches.contains(where: { $0 === fetch }) { state.fetches.append(fetch) }
        }
    }

    /// Records and checks an answer to a request.
    func receive(_ loaded: Loaded, _ request: Int) {
        saw("answer: \(loaded.kind)")
        let label = loaded.label
        state.withLock { state in
            state.requests[request].answers += 1
            let asked = state.requests[request]
            if asked.answers > 1 { state.broken.append("a request gets one answer") }
            // The source gives up only for a cancelled task.
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
