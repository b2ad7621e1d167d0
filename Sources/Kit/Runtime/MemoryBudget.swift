import Dispatch
import Synchronization

/// Counts the bytes of all that grows with clients, so that together they stay under one bound.
///
/// Each use has a share of the bound that it never exceeds, and a level: where more than that is taken by all of them, it gets
/// nothing more. So images are the first to find no room and tiles the last, and no use can take all from another.
///
/// Nothing is allocated here. Who keeps bytes has them counted, and gives the count back when they are freed. A count costs a
/// lock without contention: it is for what is kept longer than a moment, in pieces of kilobytes and more. While more than half
/// is taken, what the process holds is read as well: what lies between allocations, and what was estimated too low, leaves less
/// to take. Thread rule: any thread; nothing blocks.
public final class MemoryBudget: Sendable {
    /// What bytes are used for, the first to be refused first.
    public enum Use: Int, Sendable, CaseIterable {
        /// Static images and animations, with the decoded tiles that they are drawn from; decoded tiles of maps that wait for
        /// others. They hold memory while they wait for tiles, and so never all of it.
        case images
        /// What has come of requests and is kept: heads and contents that are not complete, what was pipelined, what an answer
        /// is made from.
        case requests
        /// Answers that clients have not taken yet.
        case answers
        /// Encoded tiles of more than 64 KiB, until they are freed, and larger bodies while they are fetched (over 16 KiB). Their share
        /// is small because the largest tile that is made of some of them needs room beside them. One alone may take more.
        case encodedTiles
        /// Tiles that take more than a sixth of the bound each while they are drawn, decoded and encoded. They wait apart from
        /// others: a large tile waits for the memory of an image, and that image waits for small tiles.
        case largeTiles
        /// Other tiles that are drawn, decoded and encoded; tiles on their way to disk.
        case tiles

        /// Of the bound, in eighths.
        fileprivate var share: Int {
            switch self {
            case .images: 5
            case .requests, .answers, .encodedTiles: 2
            case .largeTiles: 6
            case .tiles: 8
            }
        }

        /// Of the bound, in eighths.
        fileprivate var level: Int {
            switch self {
            case .images: 6
            case .requests, .answers: 7
            case .encodedTiles, .largeTiles, .tiles: 8
            }
        }
    }

    /// The bound.
    public let bytes: Int
    let trimmer: MemoryTrimmer?
    /// What the process holds for what is counted here, as far as that can be told.
    let held: (@Sendable () -> Int)?
    /// How much less must be used for freed memory to be given back to the system.
    let drop: Int
    /// Whether what the process holds is read again and again.
    let isReading = Atomic(false)
    let state = Mutex(State())
    let waiters = Waiters<Bool>()

    struct State {
        var used = 0
        /// What the process holds beyond `used`: at most half of the bound, since some is freed only as others go on.
        var uncounted = 0
        /// The most that was used since `trimmer` was asked.
        var peak = 0
        /// By `Use.rawValue`, as those that wait.
        var usedBy = Use.allCases.map { _ in 0 }
        var waiting = Use.allCases.map { _ in FIFO<Waiter>() }
        var waitingCount = 0

        mutating func count(_ bytes: Int, for use: Use) {
            used += bytes
            peak = max(peak, used)
            usedBy[use.rawValue] += bytes
        }
    }

    /// `bytes` is not negative; `Int.max` bounds nothing. `trimmer` is asked where a lot less is used than before. `held` tells
    /// what the process holds for what is counted here, freed memory that it keeps included; it may block for a moment.
    public init(bytes: Int, trimmer: MemoryTrimmer? = nil, held: (@Sendable () -> Int)? = nil) {
        precondition(bytes >= 0, "a bound is not negative")
        self.bytes = bytes
        self.trimmer = trimmer
        self.held = held
        drop = max(min(bytes / 8, 32 << 20), 1 << 20)
    }

    /// What is taken now, by all uses.
    public var used: Int { state.withLock { $0.used } }

    /// What is taken now, by one use.
    public func used(by use: Use) -> Int { state.withLock { $0.usedBy[use.rawValue] } }

    /// How many wait.
    var waitingCount: Int { state.withLock { $0.waitingCount } }

    /// The use that a tile counts as if it takes `bytes` while it is made.
    public func use(forTileOf bytes: Int) -> Use { bytes > self.bytes / 6 ? .largeTiles : .tiles }

    /// The most that `use` can have at a time. What is larger never fits.
    public func most(for use: Use) -> Int { part(use == .encodedTiles ? use.level : min(use.share, use.level)) }

    // MARK: At once

    /// Counts `bytes` where there is room for them; says whether there was. `bytes` is not negative.
    public func take(_ bytes: Int, for use: Use) -> Bool {
        let (isTaken, used) = state.withLock { (take(bytes, for: use, &$0), $0.used) }
        watch(used)
        return isTaken
    }

    /// Counts `bytes` that are there already, whether or not there is room.
    public func add(_ bytes: Int, for use: Use) {
        let used = state.withLock { state in
            state.count(bytes, for: use)
            return state.used
        }
        watch(used)
    }

    /// Takes back what was counted by `take` or `add`. Those who waited for it go on.
    public func giveBack(_ bytes: Int, for use: Use) {
        let (admitted, hasDropped) = state.withLock { state in
            state.used -= bytes
            state.usedBy[use.rawValue] -= bytes
            let hasDropped = state.used <= state.peak - drop
            if hasDropped { state.peak = state.used }
            return (admitWaiting(&state), hasDropped)
        }
        // On another thread: the caller may hold the lock of `InFlightFetches`, and tasks are resumed without locks.
        if !admitted.isEmpty {
            DispatchQueue.global().async { [waiters] in for id in admitted { waiters.end(id, with: true) } }
        }
        if hasDropped { trimmer?.request() }
    }

    // MARK: Under the lock

    func take(_ bytes: Int, for use: Use, _ state: inout State) -> Bool {
        // In little memory one tile takes more than the share of all.
        let isAlone = use == .encodedTiles && state.usedBy[use.rawValue] == 0
        guard isAlone || bytes <= part(use.share) - state.usedBy[use.rawValue],
            bytes <= part(use.level) - state.used - state.uncounted
        else {
            return false
        }
        state.count(bytes, for: use)
        return true
    }

    /// Takes for those who wait and find room now; they are to be resumed after the lock. The last use to be refused is the
    /// first to be admitted.
    func admitWaiting(_ state: inout State) -> [Waiters<Bool>.ID] {
        guard state.waitingCount > 0 else { return [] }
        var admitted: [Waiters<Bool>.ID] = []
        for use in Use.allCases.reversed() {
            while let first = state.waiting[use.rawValue].first, take(first.bytes, for: use, &state) {
                admitted.append(first.id)
                _ = state.waiting[use.rawValue].popFirst()
                state.waitingCount -= 1
            }
        }
        return admitted
    }

    private func part(_ eighths: Int) -> Int {
        // Exact without an overflow.
        bytes / 8 * eighths + bytes % 8 * eighths / 8
    }
}

/// Why memory cannot be had.
public enum MemoryShortageError: Error, Equatable {
    /// It is more than the use may ever have, which is `most` bytes.
    case neverFits(most: Int)
    /// There is none now; there may be later.
    case noRoom
}
