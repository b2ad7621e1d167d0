import Reactor

/// One fetch that is under way, and who waits for it.
///
/// A class for its identity. All mutable members are guarded by the lock of `InFlightFetches`.
final class InFlightFetch: @unchecked Sendable {
    // Invariant behind @unchecked: mutable members are touched only inside `InFlightFetches`' lock.
    let key: TileKey
    /// Who is asked. A fetch is done within the source's timeout, and let go of then.
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
