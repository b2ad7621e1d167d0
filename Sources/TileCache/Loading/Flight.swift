import Reactor

/// One fetch that is under way, and who waits for it.
///
/// A class for its identity. All mutable members are guarded by the lock of `Flights`.
final class Flight: @unchecked Sendable {
    // Invariant behind @unchecked: mutable members are touched only inside `Flights`' lock.
    let key: TileKey
    /// The layer's own, which a clear moves on.
    let generation: Generation
    let deadline: MonotonicTime
    /// Begun behind an answer with a stale tile, which it must not end with.
    let isRenewal: Bool
    /// A failure holds the next question back for a while.
    let backsOff: Bool
    var waiters: [CheckedContinuation<Loaded, Never>] = []
    var mayStore = true
    /// What it holds was cleared meanwhile, and must not be used any more.
    var isCleared = false
    var result: Loaded?
    /// The stale tile that is being renewed.
    var held: CachedTile?

    init(key: TileKey, generation: Generation, deadline: MonotonicTime, isRenewal: Bool, backsOff: Bool) {
        self.key = key
        self.generation = generation
        self.deadline = deadline
        self.isRenewal = isRenewal
        self.backsOff = backsOff
    }
}
