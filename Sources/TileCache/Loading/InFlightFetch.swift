import Reactor

/// One fetch in flight, and the requests that wait for it.
///
/// A class for its identity. All mutable members are guarded by the lock of `InFlightFetches`.
final class InFlightFetch: @unchecked Sendable {
    // Invariant behind @unchecked: mutable members are touched only inside `InFlightFetches`' lock.
    let key: TileKey
    /// The source that is asked. A fetch that is not done by its deadline, after the source's timeout, ends with a
    /// failure.
    let source: TileSource
    let deadline: MonotonicTime
    /// Begun behind an answer with a stale tile, which it must not end with.
    let isRenewal: Bool
    var waiters: [CheckedContinuation<Loaded, Never>] = []
    var mayStore = true
    /// What it holds was cleared meanwhile, and must not be used any more.
    var isCleared = false
    var result: Loaded?
    /// The stale tile that is being renewed.
    var held: CachedTile?

    init(key: TileKey, source: TileSource, deadline: MonotonicTime, isRenewal: Bool) {
        self.key = key
        self.source = source
        self.deadline = deadline
        self.isRenewal = isRenewal
    }
}
