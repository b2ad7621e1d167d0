import Dispatch
import Reactor
import Synchronization

/// One fetch that is under way, and who waits for it.
///
/// A class for its identity. All mutable members are guarded by the lock of `Flights`.
final class Flight: @unchecked Sendable {
    // Invariant behind @unchecked: mutable members are touched only inside `Flights`' lock.
    let key: TileKey
    let deadline: MonotonicTime
    fileprivate var waiters: [CheckedContinuation<Loaded, Never>] = []
    fileprivate var mayStore = true
    fileprivate var result: Loaded?

    fileprivate init(key: TileKey, deadline: MonotonicTime) {
        self.key = key
        self.deadline = deadline
    }
}

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

    func join(_ key: TileKey, deadline: MonotonicTime, _ memory: MemoryStore, _ now: MonotonicTime) -> Joining {
        state.withLock { state in
            if let flight = state.flights[key] { return .joins(flight) }
            // The double check: the flight that this request missed may have landed since it looked into memory.
            if let tile = memory.tile(for: key, now: now) { return .present(tile) }
            let flight = Flight(key: key, deadline: deadline)
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

    /// Ends `flight` with what `result` says, which is told whether the flight may store; returns what it ended with, which is
    /// an earlier result where it had ended before.
    func land(_ flight: Flight, _ result: (_ mayStore: Bool) -> Loaded) -> Loaded {
        let (landed, waiters) = state.withLock { state -> (Loaded, [CheckedContinuation<Loaded, Never>]) in
            if let earlier = flight.result { return (earlier, []) }
            let landed = result(flight.mayStore)
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
