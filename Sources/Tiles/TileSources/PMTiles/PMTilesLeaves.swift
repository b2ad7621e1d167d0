import Runtime
import Synchronization
import TileArchives

/// A cache of leaf directories that all archives of a server share.
///
/// The cache has two halves. A look-up moves the directory that it finds to the younger half. If the younger half is
/// full, it becomes the older half, and the cache drops the directories of the previous older half. So each look-up and
/// each insertion takes constant time.
///
/// This is a class because it owns a reservation of memory. Thread rule: any thread may call these functions.
package final class PMTilesLeaves: Sendable {
    struct Key: Hashable {
        let archive: Int
        let range: Range<UInt64>
    }

    private struct State {
        var young: [Key: PMTilesDirectory] = [:]
        var old: [Key: PMTilesDirectory] = [:]
        var (youngBytes, oldBytes) = (0, 0)
        var lastArchive = 0
    }

    private let state = Mutex(State())
    private let most: Int
    private let reservation: MemoryReservation?

    /// Maximum size of the cache in bytes. A leaf directory of a large archive has about 100 KiB, so the cache has room
    /// for several hundred directories.
    static let largest = 64 << 20

    /// Makes an empty cache. The cache has at most `largest` bytes, and at most a sixteenth of the bytes of `memory`.
    /// The budget `memory` counts the bytes of the cache. Nil: no budget limits or counts these bytes.
    package init(memory: MemoryBudget? = nil) {
        most = min(Self.largest, (memory?.bytes ?? .max) / 16)
        reservation = memory?.reservation(of: 0, for: .requests)
    }

    /// Returns a new number for an archive.
    func newArchive() -> Int {
        state.withLock { state in
            state.lastArchive += 1
            return state.lastArchive
        }
    }

    func directory(_ key: Key) -> PMTilesDirectory? {
        state.withLock { state in
            if let found = state.young[key] { return found }
            guard let found = state.old.removeValue(forKey: key) else { return nil }
            state.oldBytes -= found.residentBytes
            insert(found, key, &state)
            return found
        }
    }

    /// Adds `directory` to the cache. Does nothing if the cache has this key, or if `directory` is larger than half of
    /// the cache. If the memory budget has no room, drops the older half. If this is not enough, drops `directory` too:
    /// the next search for a tile of this directory reads the directory again.
    func keep(_ directory: PMTilesDirectory, _ key: Key) {
        state.withLock { state in
            guard directory.residentBytes <= most / 2, state.young[key] == nil, state.old[key] == nil else { return }
            insert(directory, key, &state)
            guard let reservation, !reservation.resize(to: state.youngBytes + state.oldBytes) else { return }
            // Give the older half up first. If that is not enough, the new directory goes too.
            (state.old, state.oldBytes) = ([:], 0)
            guard !reservation.resize(to: state.youngBytes) else { return }
            state.young[key] = nil
            state.youngBytes -= directory.residentBytes
            // A smaller size always succeeds.
            _ = reservation.resize(to: state.youngBytes)
        }
    }

    /// Removes the leaf directories of an archive that the server no longer reads. `archive` is the number from
    /// `newArchive`.
    func drop(archive: Int) {
        state.withLock { state in
            state.young = state.young.filter { $0.key.archive != archive }
            state.old = state.old.filter { $0.key.archive != archive }
            state.youngBytes = state.young.values.reduce(0) { $0 + $1.residentBytes }
            state.oldBytes = state.old.values.reduce(0) { $0 + $1.residentBytes }
            _ = reservation?.resize(to: state.youngBytes + state.oldBytes)
        }
    }

    /// Bytes of all directories.
    var bytes: Int { state.withLock { $0.youngBytes + $0.oldBytes } }

    private func insert(_ directory: PMTilesDirectory, _ key: Key, _ state: inout State) {
        if state.youngBytes + directory.residentBytes > most / 2 {
            (state.old, state.oldBytes) = (state.young, state.youngBytes)
            (state.young, state.youngBytes) = ([:], 0)
        }
        state.young[key] = directory
        state.youngBytes += directory.residentBytes
    }
}
