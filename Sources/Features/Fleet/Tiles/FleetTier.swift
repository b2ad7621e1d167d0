import Dispatch
import MapGeometry
import RedisClient
import Synchronization
import TileCache

/// Shares fetched tiles between all nodes of a fleet through Redis. The loader asks this tier after memory and disk. A
/// tile is put into Redis in the background after `minHits` requests for it, or at once if other nodes wait for it. If
/// Redis fails, the tier finds no tiles.
///
/// A clear or a purge deletes nothing in Redis. Instead, each reader checks the key, the checksum and the generation of
/// a tile, and whether a purge is newer than the tile.
///
/// This is a class because it owns the candidates. Thread rule: any thread.
package final class FleetTier: TileStore {
    package let name: StaticString = "fleet"

    let redis: any RedisCommands
    let prefix: String
    let stamps: any FleetStamps
    private let minHits: Int
    /// Maximum number of seconds for which Redis keeps a tile.
    private let longest: Int
    let wall: @Sendable () -> Int
    private let mostBytes: Int
    let onCorrupt: @Sendable (_ layer: String) -> Void
    let state: Mutex<State>
    private let used = Mutex<(@Sendable (Int) -> [StoreKey])?>(nil)
    /// Encodes the tiles that are written in the background, and counts uses.
    private let queue = DispatchQueue(label: "fleet tiles", qos: .utility)

    struct State {
        /// The stamps of tiles that are being fetched.
        var fetching: [StoreKey: StreamID] = [:]
        var candidates: FleetCandidates
        /// Bytes of tiles that are being written to Redis in the background.
        var writing = 0
        var counts: [FleetMetrics.TileResult: Int] = [:]
        var isCounting = false
    }

    /// Maximum number of remembered stamps, failed fetches included. One more fetch forgets all stamps, and tiles
    /// without a stamp are not put into Redis.
    private static let mostFetches = 8_192
    /// Maximum number of uses that memory reports at a time.
    private static let mostUses = 4_096

    /// - Parameters:
    ///   - prefix: prefix of the fleet's keys in Redis.
    ///   - longest: maximum number of seconds for which Redis keeps a tile.
    ///   - minHits: number of requests for a tile before it is put into Redis.
    ///   - mostBytes: maximum number of bytes of all candidates. A background write begins only if its tile, the
    ///     candidates and the other background writes fit into this number together.
    ///   - wall: returns seconds since 1970.
    ///   - onCorrupt: called with the name of the layer if a value in Redis is invalid.
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

    /// Results of look-ups and writes since the start. A tile from before a clear or a purge counts as a miss, unless
    /// the purge is soft.
    package var counts: [FleetMetrics.TileResult: Int] { state.withLock { $0.counts } }

    // MARK: Writing

    /// Records the layer's current stamp for the tile before its fetch begins. A purge with a later id affects the
    /// tile.
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

    /// Counts the tiles that were requested from memory.
    func countUses() {
        guard let used = used.withLock({ $0 }) else { return }
        for key in used(Self.mostUses) { touch(key) }
    }

    /// Writes a tile to Redis in the background. Drops the tile if the tiles that wait need too much memory.
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

    /// Returns nil if the tile is not useful any more.
    private func command(toPut record: TileRecord, _ stamp: StreamID, for key: StoreKey) -> RedisCommand? {
        guard let seconds = useful(record) else { return nil }
        let place = FleetKey(key, prefix: prefix)
        let value = FleetValue(name: place.name, generation: key.generation, stamp: stamp, record: record)
        return RedisCommand(
            "SET",
            [RedisArgument(place.tile), RedisArgument(value.encoded), "PX", RedisArgument(seconds * 1_000)])
    }

    /// Returns the seconds for which the tile is still useful, at most `longest`. Nil if it is not useful any more.
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

    /// Puts the tile into Redis at once, because other nodes wait for it. Does nothing if the tile is no candidate.
    /// Returns after the tile is in Redis, or the write has failed.
    func putNow(_ key: StoreKey) async {
        guard let candidate = state.withLock({ $0.candidates.remove(key) }) else { return }
        await send(command(toPut: candidate.record, candidate.stamp, for: key))
    }

    // MARK: Removal

    package func discard(_ key: StoreKey) {
        _ = state.withLock { $0.candidates.remove(key) }
        if redis.isAvailable { delete(key) }
    }

    func delete(_ key: StoreKey) {
        let place = FleetKey(key, prefix: prefix).tile
        Task { [redis] in
            // If Redis does not delete the value, the next reader checks it again.
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
