import Dispatch
import MapGeometry
import RedisClient
import Synchronization
import TileCache

/// Tiles in Redis, for all servers of a fleet: the tier behind the disk.
///
/// A tile that was fetched is put there behind its answer, once it was asked for `minHits` times. What Redis holds is believed only
/// where its key, checksum and generation are right, and no purge covers it. Where Redis fails there is nothing.
///
/// Nothing is ever taken out of Redis by a clear or a purge: what is of before them is known as such.
///
/// A class to own the candidates. Thread rule: any thread.
package final class FleetTier: TileStore {
    package let name: StaticString = "fleet"

    let redis: any RedisCommands
    let prefix: String
    let stamps: any FleetStamps
    private let minHits: Int
    /// In seconds.
    private let longest: Int
    let wall: @Sendable () -> Int
    private let mostBytes: Int
    let onCorrupt: @Sendable (_ layer: String) -> Void
    let state: Mutex<State>
    private let used = Mutex<(@Sendable (Int) -> [StoreKey])?>(nil)
    /// Encodes what goes out.
    private let queue = DispatchQueue(label: "fleet tiles", qos: .utility)

    struct State {
        /// The stamps of tiles that are fetched.
        var fetching: [StoreKey: StreamID] = [:]
        var candidates: FleetCandidates
        /// On their way to Redis.
        var writing = 0
        var counts: [FleetMetrics.TileResult: Int] = [:]
        var isCounting = false
    }

    /// Fetches whose stamps are remembered, those that failed included; with one more all are forgotten, and not put.
    private static let mostFetches = 8_192
    /// Tiles in memory that are asked after at a time.
    private static let mostUses = 4_096

    /// - Parameters:
    ///   - prefix: of all keys.
    ///   - longest: the most seconds that a tile is kept.
    ///   - minHits: how often a tile must be asked for before it is put.
    ///   - mostBytes: of tiles that wait for that, and of those on their way.
    ///   - wall: seconds since 1970.
    ///   - onCorrupt: called with the layer of a value that is not what it should be.
    package init(
        redis: any RedisCommands, prefix: String, stamps: any FleetStamps, longest: Int, minHits: Int,
        mostBytes: Int = 16 << 20, wall: @escaping @Sendable () -> Int,
        onCorrupt: @escaping @Sendable (_ layer: String) -> Void = { _ in }
    ) {
        self.redis = redis
        self.prefix = prefix
        self.stamps = stamps
        self.longest = longest
        self.minHits = minHits
        self.mostBytes = mostBytes
        self.wall = wall
        self.onCorrupt = onCorrupt
        state = Mutex(State(candidates: FleetCandidates(mostBytes: mostBytes)))
    }

    /// What became of tiles since the start. A tile of before a clear or a purge is a miss.
    package var counts: [FleetMetrics.TileResult: Int] { state.withLock { $0.counts } }

    // MARK: Writing

    /// A fetch of the tile begins: what comes of it is of before every purge that this node does not know now.
    func begin(_ key: StoreKey) {
        let stamp = stamps.stamp(of: key.namespace.layer)
        state.withLock { state in
            if state.fetching.count >= Self.mostFetches { state.fetching.removeAll(keepingCapacity: true) }
            state.fetching[key] = stamp
        }
    }

    package func keep(_ record: TileRecord, for key: StoreKey) -> Bool {
        let stamp = state.withLock { $0.fetching.removeValue(forKey: key) }
        guard redis.isAvailable, FleetValue.takes(record), let stamp else { return true }
        if minHits <= 1 {
            put(record, stamp, for: key)
            return true
        }
        let starts = state.withLock { state in
            state.candidates.add(record, stamp, for: key)
            defer { state.isCounting = true }
            return !state.isCounting
        }
        if starts { countUsesLater() }
        return true
    }

    package func touch(_ key: StoreKey) {
        let ready = state.withLock { $0.candidates.use(key, upTo: minHits) }
        if let ready { put(ready.record, ready.stamp, for: key) }
    }

    package func observeUse(_ used: @escaping @Sendable (_ limit: Int) -> [StoreKey]) {
        self.used.withLock { $0 = used }
    }

    private func countUsesLater() {
        queue.asyncAfter(deadline: .now() + 1) { [weak self] in
            guard let self else { return }
            self.countUses()
            let goesOn = self.state.withLock { state in
                state.isCounting = !state.candidates.isEmpty
                return state.isCounting
            }
            if goesOn { self.countUsesLater() }
        }
    }

    /// Counts the tiles that memory was asked for.
    func countUses() {
        guard let used = used.withLock({ $0 }) else { return }
        for key in used(Self.mostUses) { touch(key) }
    }

    /// Puts a tile into Redis soon. One that finds no room on its way is dropped.
    private func put(_ record: TileRecord, _ stamp: StreamID, for key: StoreKey) {
        let cost = FleetCandidates.cost(record)
        let hasRoom = state.withLock { state in
            guard state.writing + state.candidates.bytes + cost <= mostBytes else {
                state.counts[.dropped, default: 0] += 1
                return false
            }
            state.writing += cost
            return true
        }
        guard hasRoom else { return }
        queue.async { [self] in
            let command = command(toPut: record, stamp, for: key)
            Task {
                await self.send(command)
                self.state.withLock { $0.writing -= cost }
            }
        }
    }

    /// Nil where the tile is of no use any more.
    private func command(toPut record: TileRecord, _ stamp: StreamID, for key: StoreKey) -> RedisCommand? {
        guard let seconds = useful(record) else { return nil }
        let place = FleetKey(key, prefix: prefix)
        let value = FleetValue(name: place.name, generation: key.generation, stamp: stamp, record: record)
        return RedisCommand(
            "SET",
            [RedisArgument(place.tile), RedisArgument(value.encoded), "PX", RedisArgument(seconds * 1_000)])
    }

    /// Seconds for which it is still of use, `longest` at most; nil where it is none.
    private func useful(_ record: TileRecord) -> Int? {
        let life = record.life
        let all = Int(life.lifetime) + Int(max(life.staleWhileRevalidate, life.staleIfError))
        let (age, isOverflow) = wall().subtractingReportingOverflow(record.born)
        guard !isOverflow else { return nil }
        let left = min(all - max(age, 0), longest)
        return left > 0 ? left : nil
    }

    @discardableResult
    private func send(_ command: RedisCommand?) async -> Bool {
        guard let command else { return false }
        let reply = try? await redis.send(command)
        let isStored = reply?.text?.elementsEqual("OK".utf8) == true
        state.withLock { $0.counts[isStored ? .stored : .dropped, default: 0] += 1 }
        return isStored
    }

    /// Puts the tile into Redis at once where it was fetched a moment ago and is not there yet: others wait for it. Returns when it is
    /// there, or cannot be.
    func putNow(_ key: StoreKey) async {
        guard let candidate = state.withLock({ $0.candidates.remove(key) }) else { return }
        await send(command(toPut: candidate.record, candidate.stamp, for: key))
    }

    // MARK: What is taken back

    package func discard(_ key: StoreKey) {
        _ = state.withLock { $0.candidates.remove(key) }
        if redis.isAvailable { delete(key) }
    }

    func delete(_ key: StoreKey) {
        let place = FleetKey(key, prefix: prefix).tile
        Task { [redis] in
            // What stays is known for what it is the next time, too.
            _ = try? await redis.send(RedisCommand("UNLINK", [RedisArgument(place)]))
        }
    }

    package func clear(_ namespace: StoreNamespace, generation: UInt32) async -> StoreChange {
        forget { $0.namespace == namespace && $0.generation != generation }
    }

    package func clear(_ generations: [(namespace: StoreNamespace, generation: UInt32)]) async -> [StoreChange] {
        let present = Dictionary(generations.map { ($0.namespace, $0.generation) }) { first, _ in first }
        let change = forget { key in present[key.namespace].map { $0 != key.generation } ?? false }
        return generations.map { _ in change }
    }

    package func remove(
        _ coordinate: TileCoordinate, of namespace: StoreNamespace, generation: UInt32
    ) async -> StoreChange {
        forget { $0.namespace == namespace && $0.coordinate == coordinate }
    }

    package func purge(
        _ namespace: StoreNamespace, generation: UInt32, area: TileArea, isSoft: Bool
    ) async -> StoreChange {
        forget { $0.namespace == namespace && area.contains($0.coordinate) }
    }

    private func forget(_ matches: (StoreKey) -> Bool) -> StoreChange {
        state.withLock { $0.candidates.removeAll(where: matches) }
        return StoreChange(usage: StoreUsage())
    }
}
