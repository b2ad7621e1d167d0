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
        /// The caller must fetch it and `land` the flight, which renews this stale tile, if there is one.
        case leads(Flight, holding: CachedTile?)
    }

    /// Tiles that are being taken back.
    private struct Purge {
        let number: Int
        let scope: PurgeScope
        let isSoft: Bool

        func forbid(_ flight: Flight) {
            flight.mayStore = false
            // What is only declared stale is of use all the same.
            guard !isSoft else { return }
            flight.isCleared = true
            flight.held = nil
        }
    }

    private struct State {
        var flights: [TileKey: Flight] = [:]
        /// Those under way.
        var purges: [Purge] = []
        var purgeCount = 0
        /// Those whose tile was cleared meanwhile: they have waiters still, and deadlines.
        var detached: [Flight] = []
        var isWatching = false

        mutating func detach(from purge: Purge) {
            for (key, flight) in flights where purge.scope.covers(key) {
                purge.forbid(flight)
                flights[key] = nil
                detached.append(flight)
            }
        }
    }

    private let state = Mutex(State())
    private let watcher = DispatchQueue(label: "tile timeouts")
    private static let interval = DispatchTimeInterval.milliseconds(250)

    /// `deadline` is real time; `now` is that of the tiles.
    func join(
        _ key: TileKey, _ source: TileSource, deadline: MonotonicTime, isRenewal: Bool, _ memory: MemoryStore,
        _ now: MonotonicTime
    ) -> Joining {
        state.withLock { state in
            if let flight = state.flights[key] { return .joins(flight) }
            // The double check: the flight that this request missed may have landed since it looked into memory.
            if let tile = memory.peek(key), tile.isFresh(now) { return .present(tile) }
            let flight = Flight(key: key, source: source, deadline: deadline, isRenewal: isRenewal)
            state.flights[key] = flight
            for purge in state.purges where purge.scope.covers(key) { purge.forbid(flight) }
            // Looked for in here: a tile that a purge took out of memory must not be renewed by who saw it before.
            if !flight.isCleared { flight.held = memory.peek(key) }
            return .leads(flight, holding: flight.held)
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

    /// Notes a stale tile that `flight` is to renew, for whoever must answer where that fails; false where it was cleared
    /// meanwhile. Runs `storing` if the flight may store.
    func hold(_ tile: CachedTile, in flight: Flight, storing: () -> Void) -> Bool {
        state.withLock { _ in
            guard !flight.isCleared else { return false }
            flight.held = tile
            if flight.mayStore { storing() }
            return true
        }
    }

    /// Forgets the stale tile that `flight` holds. Runs `removing` if the flight may store: else what is stored by now
    /// is another's.
    func drop(_ flight: Flight, removing: () -> Void) {
        state.withLock { _ in
            flight.held = nil
            if flight.mayStore { removing() }
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
            if state.flights[flight.key] === flight {
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

    /// Begins to take back the tiles of `scope`: whatever is fetched from now on until `endPurge` is not stored, and what
    /// is under way is not either. Returns the number to end it by.
    func beginPurge(_ scope: PurgeScope, isSoft: Bool) -> Int {
        state.withLock { state in
            state.purgeCount += 1
            let purge = Purge(number: state.purgeCount, scope: scope, isSoft: isSoft)
            state.purges.append(purge)
            state.detach(from: purge)
            return purge.number
        }
    }

    /// The tiles are gone from all tiers: who asks from now on waits for nobody who may have found one before that.
    func endPurge(_ number: Int) {
        state.withLock { state in
            guard let place = state.purges.firstIndex(where: { $0.number == number }) else { return }
            state.detach(from: state.purges.remove(at: place))
        }
    }

    /// How many wait for the fetch of `key` that is under way.
    func waiterCount(_ key: TileKey) -> Int {
        state.withLock { $0.flights[key]?.waiters.count ?? 0 }
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
