import Runtime
import Synchronization

/// One fetch of a tile that is in progress, and the requests that wait for it.
///
/// This is a class because its identity matters. The lock of `InFlightFetches` guards all mutable members.
final class InFlightFetch: @unchecked Sendable {
    // Invariant behind @unchecked: mutable members are accessed only under the lock of `InFlightFetches`.
    let key: TileKey
    /// The layer that is asked.
    let source: CachedLayer
    /// The start of the fetch plus the layer's timeout. Watched fetches end soon after this time
    /// (`InFlightFetches.watch`).
    let deadline: MonotonicTime
    /// True if the fetch renews a stale tile that clients get in the meantime. A stale tile of another tier does not
    /// end such a fetch, unless the layer is offline.
    let isRenewal: Bool
    var waiting: [Waiters<Loaded>.ID] = []
    var mayStore = true
    /// True if a hard purge of the tile was running when the fetch began, or began during the fetch. A stale tile must
    /// not be held then.
    var isCleared = false
    var result: Loaded?
    /// The stale tile that the fetch renews, or that is served if the fetch fails.
    var held: CachedTile?
    /// The task to cancel when no request waits for the fetch any more. Nil if there is none.
    var filling: Task<Void, Never>?
    /// Number of requests in `waiting` whose clients have left.
    var leftCount = 0
    /// True if `filling` was cancelled because the clients of all waiting requests had left.
    var isAbandoned = false
    /// The working time of this fetch, and the seconds that were left of it when the layer was asked. Nil before that.
    var work: (time: WorkTime, left: Double)?
    /// True if the duration of the fetch was recorded.
    var isTimed = false
    private let isAnswered = Atomic(false)

    init(key: TileKey, source: CachedLayer, deadline: MonotonicTime, isRenewal: Bool) {
        self.key = key
        self.source = source
        self.deadline = deadline
        self.isRenewal = isRenewal
    }

    /// Returns true only for the first call. The loader uses it to ignore further answers of a layer's callback.
    func takeAnswer() -> Bool { !isAnswered.exchange(true, ordering: .relaxed) }

    /// True if requests wait for the fetch but all their clients have left. False for a renewal, which runs to its end.
    var isUnwanted: Bool { !isRenewal && !waiting.isEmpty && leftCount >= waiting.count }

    /// Marks an unwanted fetch as abandoned and returns its task. Nil if there is nothing to cancel. The caller cancels
    /// the task after it releases the lock.
    func abandoned() -> Task<Void, Never>? {
        guard isUnwanted, !isAbandoned, result == nil, let filling else { return nil }
        isAbandoned = true
        return filling
    }
}
