import Dispatch
import Reactor
import Synchronization

/// The fetches that are under way, at most one for a key (single flight).
///
/// Thread rule: any thread. Order of locks: this one, then a memory shard's or the back-off's.
final class Flights: Sendable {
    enum Joining {
        /// Somebody stored it a moment ago.
        case present(CachedTile)
        /// Somebody is fetching it.
        case joins(Flight)
        /// The caller must fetch it and `land` the flight.
        case leads(Flight)
    }

    private struct State {
        var flights: [TileKey: Flight] = [:]
        /// Those whose tile was cleared meanwhile: they have waiters still, and deadlines.
        var detached: [Flight] = []
        var isWatching = false
    }

    private let state = Mutex(State())
    private let watcher = DispatchQueue(label: "tile timeouts")
    private static let interval = DispatchTimeInterval.milliseconds(250)

    /// `deadline` is real time; `now` is that of the tiles.
    func join(
        _ key: TileKey, _ generation: Generation, deadline: MonotonicTime, _ memory: MemoryStore, _ now: MonotonicTime
    ) -> Joining {
        state.withLock { state in
            if let flight = state.flights[key] { return .joins(flight) }
            // The double check: the flight that this request missed may have landed since it looked into memory.
            if let tile = memory.peek(key), tile.isFresh(now) { return .present(tile) }
            let flight = Flight(key: key, generation: generation, deadline: deadline)
            state.flights[key] = flight
            return .leads(flight)
        }
    }

    /// What becomes of `flight`, as soon as it is known.
    func landing(of flight: Flight) async -> Loaded {
        await withCheckedContinuation { continuation in
            let landed = state.withLock { _ in
                if flight.result == nil { flight.waiters.append(continuation) }
                return flight.result
            }
            if let landed { continuation.resume(returning: landed) }
        }
    }

    /// Notes the stale tile that `flight` is to renew, for whoever must answer where that fails. Runs `storing` if the
    /// flight may store.
    func hold(_ tile: CachedTile, in flight: Flight, storing: () -> Void = {}) {
        state.withLock { _ in
            flight.held = tile
            if flight.mayStore { storing() }
        }
    }

    /// Ends `flight` with what `result` says, which is told whether the flight may store and which stale tile it holds;
    /// returns what it ended with, which is an earlier result where it had ended before.
    func land(_ flight: Flight, _ result: (_ mayStore: Bool, _ held: CachedTile?) -> Loaded) -> Loaded {
        let (landed, waiters) = state.withLock { state -> (Loaded, [CheckedContinuation<Loaded, Never>]) in
            if let earlier = flight.result { return (earlier, []) }
            let landed = result(flight.mayStore, flight.held)
            flight.held = nil
            flight.result = landed
            if flight.mayStore {
                state.flights[flight.key] = nil
            } else {
                state.detached.removeAll { $0 === flight }
            }
            let waiters = flight.waiters
            flight.waiters = []
            return (landed, waiters)
        }
        for waiter in waiters { waiter.resume(returning: landed) }
        return landed
    }

    /// Lets the flight of `key` land without storing, sends later requests on a flight of their own, and runs `removing`.
    func forbidStoring<Value>(_ key: TileKey, removing: () -> Value) -> Value {
        state.withLock { state in
            if let flight = state.flights.removeValue(forKey: key) {
                flight.mayStore = false
                state.detached.append(flight)
            }
            return removing()
        }
    }

    /// The same for all flights of `layer` within `box`.
    func forbidStoring(layer: UInt16, in box: TileBox) {
        state.withLock { state in
            for (key, flight) in state.flights where key.layer == layer && box.contains(key.coordinate) {
                flight.mayStore = false
                state.detached.append(flight)
                state.flights[key] = nil
            }
        }
    }

    /// Whether a fetch for `key` is under way.
    func isUnderWay(_ key: TileKey) -> Bool {
        state.withLock { $0.flights[key] != nil }
    }

    /// Has `expire` called with every flight that is still under way after its deadline.
    func watch(_ expire: @escaping @Sendable (Flight) -> Void) {
        let starts = state.withLock { state in
            defer { state.isWatching = true }
            return !state.isWatching
        }
        if starts { scheduleWatch(expire) }
    }

    private func scheduleWatch(_ expire: @escaping @Sendable (Flight) -> Void) {
        watcher.asyncAfter(deadline: .now() + Self.interval) { [self] in
            let now = MonotonicTime.now()
            let (late, goesOn) = state.withLock { state in
                let all = state.flights.values + state.detached
                state.isWatching = !all.isEmpty
                return (all.filter { $0.deadline <= now }, !all.isEmpty)
            }
            for flight in late { expire(flight) }
            if goesOn { scheduleWatch(expire) }
        }
    }
}
