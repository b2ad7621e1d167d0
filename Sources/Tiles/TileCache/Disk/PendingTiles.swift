import Runtime
import Synchronization

/// Tiles and access times that wait to be written to the database. A tile stays here until its batch is written or
/// given up, so that readers can find it.
///
/// Thread rule: any thread. Order of locks: this lock, then those of the index, of the budget and of the clocks.
final class PendingTiles: Sendable {
    struct Entry: Sendable {
        let key: StoreKey
        var record: TileRecord
        let epoch: Int64

        /// Bytes for an entry in a dictionary that has just grown, and in an array of keys.
        private static let overhead =
            (MemoryLayout<StoreKey>.stride + MemoryLayout<Entry>.stride) * 8 / 3 + MemoryLayout<StoreKey>.stride * 2

        /// Bytes of memory that the entry takes here.
        var cost: Int {
            record.size + Self.overhead + (record.validators?.etag?.utf8.count ?? 0)
                + (record.validators?.lastModified?.utf8.count ?? 0)
        }
    }

    /// The result of adding a tile.
    enum Acceptance {
        case refused
        /// The tile waits. `isFirst`: no other tile waits. `isBatch`: the pending tiles now fill a batch.
        case accepted(isFirst: Bool, isBatch: Bool)
    }

    private struct State {
        var waiting: [StoreKey: Entry] = [:]
        /// The keys of `waiting`, oldest first.
        var order: [StoreKey] = []
        var writing: [StoreKey: Entry] = [:]
        var bytes = 0
        var touched: [StoreKey: Int64] = [:]
        /// The keys of tiles to remove from the database.
        var discarded: Set<StoreKey> = []
        var clock = AccessClock()
    }

    private let limits: DiskSettings
    private let budget: MemoryBudget?
    private let now: @Sendable () -> Int
    private let state = Mutex(State())
    private static let roomKept = 4_096
    private static let maxTouched = 16_384
    private static let maxDiscarded = 16_384

    init(limits: DiskSettings, budget: MemoryBudget? = nil, now: @escaping @Sendable () -> Int) {
        self.limits = limits
        self.budget = budget
        self.now = now
    }

    deinit {
        budget?.giveBack(bytes, for: .tiles)
    }

    /// Runs `body` under the lock. Gives the freed bytes back to the budget after the lock is released.
    private func freeing<Value>(_ body: (inout State) -> Value) -> Value {
        let (value, freed) = state.withLock { state in
            let before = state.bytes
            let value = body(&state)
            return (value, before - state.bytes)
        }
        if freed > 0 { budget?.giveBack(freed, for: .tiles) }
        return value
    }

    var bytes: Int { state.withLock { $0.bytes } }
    var isEmpty: Bool { state.withLock { $0.waiting.isEmpty } }

    /// Adds a tile that waits to be written. Refuses the tile if the pending tiles have too many bytes, if memory is
    /// short, or if `epoch` returns nil. Calls `epoch` while the lock is held, so no purge can be applied to the
    /// waiting tiles between that call and the insertion.
    func add(_ record: TileRecord, for key: StoreKey, epoch: () -> Int64?) -> Acceptance {
        freeing { state in
            guard let epoch = epoch() else { return .refused }
            let entry = Entry(key: key, record: record, epoch: epoch)
            let bytes = state.bytes + entry.cost - (state.waiting[key]?.cost ?? 0)
            guard bytes <= limits.pendingBytes, budget?.take(max(bytes - state.bytes, 0), for: .tiles) ?? true else {
                return .refused
            }
            let isFirst = state.waiting.isEmpty
            state.bytes = bytes
            state.discarded.remove(key)
            if state.waiting.updateValue(entry, forKey: key) == nil { state.order.append(key) }
            let isBatch = state.waiting.count >= limits.batchCount || bytes >= limits.batchBytes
            return .accepted(isFirst: isFirst, isBatch: isBatch)
        }
    }

    /// The state of a tile here.
    enum Waiting {
        case nothing
        case entry(Entry)
        /// The tile in the database must not be used any more.
        case discarded
    }

    func waiting(for key: StoreKey) -> Waiting {
        state.withLock { state in
            if let entry = state.waiting[key] { return .entry(entry) }
            if state.discarded.contains(key) { return .discarded }
            return state.writing[key].map(Waiting.entry) ?? .nothing
        }
    }

    // MARK: Discarded tiles

    /// Removes a waiting tile, and marks the key for removal from the database. Does not mark the key if 16,384 keys
    /// are already marked.
    func discard(_ key: StoreKey) {
        freeing { state in
            if let entry = state.waiting.removeValue(forKey: key) {
                state.bytes -= entry.cost
                state.order.removeAll { $0 == key }
            }
            if state.discarded.count < Self.maxDiscarded { state.discarded.insert(key) }
        }
    }

    /// Returns some of the marked keys. The keys stay marked until `removed` is called, so that readers do not find the
    /// tiles.
    func someDiscarded(atMost count: Int) -> [StoreKey] {
        state.withLock { Array($0.discarded.prefix(min(limits.touchCount, count))) }
    }

    func removed(_ keys: [StoreKey]) {
        state.withLock { $0.discarded.subtract(keys) }
    }

    /// Returns the oldest waiting tiles for the next write. Readers still find these tiles until `written` or `putBack`
    /// is called. There is never more than one batch at a time.
    func takeBatch(atMost count: Int) -> [Entry] {
        state.withLock { state in
            var batch: [Entry] = []
            var (bytes, taken) = (0, 0)
            for key in state.order {
                guard batch.count < min(limits.batchCount, count) else { break }
                if let next = state.waiting[key], !batch.isEmpty, bytes + next.cost > limits.batchBytes { break }
                taken += 1
                guard let entry = state.waiting.removeValue(forKey: key) else { continue }
                batch.append(entry)
                bytes += entry.cost
                state.writing[key] = entry
            }
            state.order.removeFirst(taken)
            // Replace the collections: they keep their capacity after a crowd of small tiles.
            if state.waiting.isEmpty, state.waiting.capacity > Self.roomKept {
                (state.waiting, state.order) = ([:], [])
            }
            return batch
        }
    }

    /// Ends the last batch, which is now in the database or was given up.
    func written() {
        freeing { state in
            state.bytes -= state.writing.values.reduce(0) { $0 + $1.cost }
            state.writing = [:]
        }
    }

    /// Lets the tiles of the last batch wait again, before all other tiles, because the batch could not be written.
    /// Drops a tile if it was replaced or discarded, or if `record` returns nil. Calls `record` while the lock is held,
    /// so no purge can be applied to the waiting tiles in between.
    func putBack(_ record: (Entry) -> TileRecord?) {
        freeing { state in
            var keys: [StoreKey] = []
            for (key, entry) in state.writing {
                state.bytes -= entry.cost
                guard state.waiting[key] == nil, !state.discarded.contains(key), let record = record(entry) else {
                    continue
                }
                let entry = Entry(key: key, record: record, epoch: entry.epoch)
                state.waiting[key] = entry
                state.bytes += entry.cost
                keys.append(key)
            }
            state.order = keys + state.order
            state.writing = [:]
        }
    }

    /// Removes the waiting tiles that match. Returns their number and bytes.
    @discardableResult
    func remove(where matches: (Entry) -> Bool) -> StoreUsage {
        freeing { state in
            var usage = StoreUsage()
            for entry in state.waiting.values where matches(entry) {
                state.waiting[entry.key] = nil
                state.bytes -= entry.cost
                usage += StoreUsage(entries: 1, bytes: entry.record.size)
            }
            if usage.entries > 0 { state.order.removeAll { state.waiting[$0] == nil } }
            return usage
        }
    }

    /// Applies a purge to the waiting tiles. Returns the number and bytes of the changed tiles.
    func apply(_ filter: PurgeFilter, now: (_ born: Int) -> Int) -> StoreUsage {
        guard filter.isSoft else {
            return remove { $0.key.space == filter.space && filter.covers($0.key.coordinate, epoch: $0.epoch) }
        }
        return state.withLock { state in
            var usage = StoreUsage()
            for entry in state.waiting.values
            where entry.key.space == filter.space && filter.covers(entry.key.coordinate, epoch: entry.epoch) {
                let end = filter.end(of: entry.record.born, now: now(entry.record.born))
                guard entry.record.expires > end else { continue }
                state.waiting[entry.key]?.record = entry.record.expired(at: end)
                usage += StoreUsage(entries: 1, bytes: entry.record.size)
            }
            return usage
        }
    }

    // MARK: Access times

    /// Returns the access time for the present moment.
    func stamp() -> Int64 {
        state.withLock { $0.clock.stamp(now()) }
    }

    /// Makes all later access times at least `last`.
    func start(after last: Int64) {
        state.withLock { $0.clock = AccessClock(startingAt: now(), after: last) }
    }

    /// Remembers the access time of a used tile, unless too many are remembered already.
    func touch(_ key: StoreKey) {
        state.withLock { state in
            guard state.touched.count < Self.maxTouched || state.touched[key] != nil else { return }
            state.touched[key] = state.clock.stamp(now())
        }
    }

    /// Takes some of the used tiles with their access times.
    func takeTouched(atMost count: Int) -> [(key: StoreKey, time: Int64)] {
        state.withLock { state in
            let some = state.touched.prefix(min(limits.touchCount, count))
            for (key, _) in some { state.touched[key] = nil }
            return some.map { ($0.key, $0.value) }
        }
    }
}
