import MapGeometry
import Synchronization
import TestSupport

@testable import TileCache

/// A `TileStore` in memory that counts its calls. A test can make it refuse records, or hold up its reads and
/// removals.
final class FakeStore: TileStore {
    let name: StaticString

    struct State {
        var records: [StoreKey: TileRecord] = [:]
        /// All records passed to `keep`, including refused records.
        var kept: [TileRecord] = []
        var reads = 0
        var touched: [StoreKey] = []
        var discarded: [StoreKey] = []
        var looks = 0
        var removals = 0
        var refuses = false
        /// If set, a read waits at this gate after it has read.
        var afterReading: Gate?
        /// If set, a removal waits at this gate before it removes.
        var beforeRemoving: Gate?
        /// Number of calls that have reached one of the gates.
        var held = 0
    }

    private let state = Mutex(State())

    init(name: StaticString = "disk") {
        self.name = name
    }

    func with<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        state.withLock { body(&$0) }
    }

    var reads: Int { state.withLock { $0.reads } }
    var kept: [TileRecord] { state.withLock { $0.kept } }
    var held: Int { state.withLock { $0.held } }

    /// Returns a store with the same records and without counts, like a store after a restart.
    func reopened() -> FakeStore {
        let records = state.withLock { $0.records }
        let store = FakeStore()
        store.state.withLock { $0.records = records }
        return store
    }

    func record(for key: StoreKey) async -> TileRecord? {
        let (record, gate) = state.withLock { state in
            state.reads += 1
            return (state.records[key], state.afterReading)
        }
        await wait(at: gate)
        return record
    }

    func keep(_ record: TileRecord, for key: StoreKey) -> Bool {
        state.withLock { state in
            state.kept.append(record)
            if !state.refuses { state.records[key] = record }
            return !state.refuses
        }
    }

    func peek(_ key: StoreKey) async -> TileRecord? {
        state.withLock { state in
            state.looks += 1
            return state.records[key]
        }
    }

    func discard(_ key: StoreKey) {
        state.withLock { state in
            state.discarded.append(key)
            state.records[key] = nil
        }
    }

    func touch(_ key: StoreKey) {
        state.withLock { $0.touched.append(key) }
    }

    func clear(_ namespace: StoreNamespace, generation: UInt32) async -> StoreChange {
        await remove { $0.namespace == namespace && $0.generation != generation }
    }

    func remove(_ coordinate: TileCoordinate, of namespace: StoreNamespace, generation: UInt32) async -> StoreChange {
        await remove { $0.namespace == namespace && $0.generation == generation && $0.coordinate == coordinate }
    }

    func purge(_ namespace: StoreNamespace, generation: UInt32, area: TileArea, isSoft: Bool) async -> StoreChange {
        let isMeant = { (key: StoreKey) in
            key.namespace == namespace && key.generation == generation && area.contains(key.coordinate)
        }
        guard isSoft else { return await remove(isMeant) }
        await wait(at: state.withLock { $0.beforeRemoving })
        return state.withLock { state in
            let keys = state.records.keys.filter(isMeant)
            for key in keys {
                state.records[key] = state.records[key].map { old in
                    TileRecord(
                        content: old.content, validators: old.validators, born: old.born,
                        expires: min(old.expires, old.born), stale: old.stale)
                }
            }
            return StoreChange(usage: StoreUsage(entries: keys.count, bytes: keys.count))
        }
    }

    private func remove(_ isMeant: (StoreKey) -> Bool) async -> StoreChange {
        await wait(at: state.withLock { $0.beforeRemoving })
        return state.withLock { state in
            state.removals += 1
            let keys = state.records.keys.filter(isMeant)
            for key in keys { state.records[key] = nil }
            return StoreChange(usage: StoreUsage(entries: keys.count, bytes: keys.count))
        }
    }

    private func wait(at gate: Gate?) async {
        guard let gate else { return }
        state.withLock { $0.held += 1 }
        await gate.pass()
    }
}
