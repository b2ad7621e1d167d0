import Runtime
import Synchronization

/// One fetch in flight, and the requests that wait for it.
///
/// A class for its identity. All mutable members are guarded by the lock of `InFlightFetches`.
final class InFlightFetch: @unchecked Sendable {
    // Invariant behind @unchecked: mutable members are touched only inside `InFlightFetches`' lock.
    let key: TileKey
    /// The source that is asked. A fetch that is not done by its deadline, after the source's timeout, ends with a
    /// failure.
    let source: CachedLayer
    let deadline: MonotonicTime
    /// Begun behind an answer with a stale tile, which it must not end with.
    let isRenewal: Bool
    var waiting: [Waiters<Loaded>.ID] = []
    var mayStore = true
    /// What it holds was cleared meanwhile, and must not be used any more.
    var isCleared = false
    var result: Loaded?
    /// The stale tile that is being renewed.
    var held: CachedTile?
    /// What fills it, where that may be cancelled.
    var filling: Task<Void, Never>?
    /// How many of `waiting` do not wait any more.
    var leftCount = 0
    /// `filling` was cancelled, because nobody waited.
    var isAbandoned = false
    /// The working time of this fetch, and how much of it was left then. Nil until the layer is asked.
    var work: (time: WorkTime, left: Double)?
    /// How long it took was noted.
    var isTimed = false
    private let isAnswered = Atomic(false)

    init(key: TileKey, source: CachedLayer, deadline: MonotonicTime, isRenewal: Bool) {
        self.key = key
        self.source = source
        self.deadline = deadline
        self.isRenewal = isRenewal
    }

    /// Whether this is the first answer that a callback of the layer gives.
    func takeAnswer() -> Bool { !isAnswered.exchange(true, ordering: .relaxed) }

    /// There were some who waited, and all of them have left.
    var isUnwanted: Bool { !isRenewal && !waiting.isEmpty && leftCount >= waiting.count }

    /// What is to be cancelled now, because nobody waits for it any more; nil where there is no such thing.
    func abandoned() -> Task<Void, Never>? {
        guard isUnwanted, !isAbandoned, result == nil, let filling else { return nil }
        isAbandoned = true
        return filling
    }
}
