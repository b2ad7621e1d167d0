import Dispatch
import Synchronization

/// Limits the memory that grows with the number of clients. The budget counts this memory and keeps its total within
/// one bound. Only `add` can exceed the bound.
///
/// Memory is counted per use, such as images or tiles. Each use may take only a certain part of the bound. Each use
/// also has a level. If all uses together would take more than this level, the use gets no more memory. The level of
/// images is low and the level of tiles is high, so images are refused first and tiles last.
///
/// The budget itself allocates nothing. A caller reports the bytes that it keeps, and reports again when it frees them.
/// Each report takes a lock, so a caller should not report every small allocation. While more than a quarter of the
/// bound is used, the budget also reads how much memory the process really has, if `held` was given. If that is more
/// than the counted bytes, for example because memory is fragmented, less room is left.
///
/// Thread rule: any thread. Only `reserveBlocking` blocks.
public final class MemoryBudget: Sendable {
    /// The purpose for which memory is used. When memory runs low, `images` is refused first, then `requests` and
    /// `answers`, and the tiles last.
    public enum Use: Int, Sendable, CaseIterable {
        /// Static images, animations and the decoded tiles that they are drawn from, and decoded tiles of maps that
        /// wait for other tiles. They hold memory while they wait for tiles, so they must never take all memory.
        case images
        /// The connections, the table of clients, and parts of requests that are kept: incomplete heads and contents,
        /// pipelined requests, and data that a response is made from.
        case requests
        /// Responses that clients have not read yet, and open streamed responses.
        case answers
        /// Encoded tiles over 64 KiB that no other part counts (`HeldBytes`), and bodies over 16 KiB while they are
        /// fetched. The share is small, because a large tile that is made from some of them needs room too. A single
        /// tile may exceed the share.
        case encodedTiles
        /// Tiles that need more than a sixth of the bound while they are drawn, decoded or encoded. They wait apart
        /// from other tiles: a large tile may wait for the memory of an image that itself waits for small tiles.
        case largeTiles
        /// Other tiles while they are drawn, decoded or encoded, tiles over 64 KiB while they are read from MBTiles,
        /// tiles on their way to disk, and pages of the tile database.
        case tiles

        /// Maximum part of the bound for this use, in eighths.
        fileprivate var share: Int {
            switch self {
            case .images: 5
            case .requests, .answers, .encodedTiles: 2
            case .largeTiles: 6
            case .tiles: 8
            }
        }

        /// This use gets no more memory if all uses together would take more than this part of the bound, in eighths.
        fileprivate var level: Int {
            switch self {
            case .images: 6
            case .requests, .answers: 7
            case .encodedTiles, .largeTiles, .tiles: 8
            }
        }
    }

    /// The bound in bytes.
    public let bytes: Int
    let trimmer: MemoryTrimmer?
    /// Returns the process's memory for the bytes that this budget counts, as far as it can be measured.
    let held: (@Sendable () -> Int)?
    /// Number of bytes. `trimmer` is asked if the use falls by at least this number, or if `uncounted` is larger.
    let drop: Int
    /// True while the process's memory is read repeatedly.
    let isReading = Atomic(false)
    let state = Mutex(State())
    let waiters = Waiters<Bool>()

    struct State {
        var used = 0
        /// Bytes that the process holds beyond `used`, plus a reserve. At most half of the bound, because waiting work
        /// must go on to free memory. 0 if the process's memory is not being read.
        var uncounted = 0
        /// Highest `used` since the last fall by `drop`.
        var peak = 0
        /// Indexed by `Use.rawValue`, like `waiting`.
        var usedBy = Use.allCases.map { _ in 0 }
        var waiting = Use.allCases.map { _ in FIFO<Waiter>() }
        var waitingCount = 0

        mutating func count(_ bytes: Int, for use: Use) {
            used += bytes
            peak = max(peak, used)
            usedBy[use.rawValue] += bytes
        }
    }

    /// - Parameters:
    ///   - bytes: the bound, not negative. `Int.max` means no bound.
    ///   - trimmer: asked to trim when `used` falls by a lot, or when much memory is uncounted.
    ///   - held: returns the process's memory for the bytes that this budget counts, including freed memory that the
    ///     allocator keeps. It may block for a moment.
    public init(bytes: Int, trimmer: MemoryTrimmer? = nil, held: (@Sendable () -> Int)? = nil) {
        precondition(bytes >= 0, "a bound is not negative")
        self.bytes = bytes
        self.trimmer = trimmer
        self.held = held
        drop = max(min(bytes / 8, 32 << 20), 1 << 20)
    }

    /// Bytes that all uses take now.
    public var used: Int { state.withLock { $0.used } }

    /// Number of bytes that `use` takes now.
    public func used(by use: Use) -> Int { state.withLock { $0.usedBy[use.rawValue] } }

    /// Number of waiting requests.
    var waitingCount: Int { state.withLock { $0.waitingCount } }

    /// Returns the use for a tile that needs `bytes` of memory while it is made: `.largeTiles` or `.tiles`.
    public func use(forTileOf bytes: Int) -> Use { bytes > self.bytes / 6 ? .largeTiles : .tiles }

    /// Maximum bytes of one request for `use` that can ever fit.
    public func most(for use: Use) -> Int { part(use == .encodedTiles ? use.level : min(use.share, use.level)) }

    // MARK: At once

    /// Counts `bytes` if there is room, and reports whether there was. `bytes` is not negative.
    public func take(_ bytes: Int, for use: Use) -> Bool {
        let (isTaken, used) = state.withLock { (take(bytes, for: use, &$0), $0.used) }
        watch(used)
        return isTaken
    }

    /// Counts `bytes` that are already allocated, even if there is no room.
    public func add(_ bytes: Int, for use: Use) {
        let used = state.withLock { state in
            state.count(bytes, for: use)
            return state.used
        }
        watch(used)
    }

    /// Ends the count of bytes that `take` or `add` counted, usually because the caller has freed them. Requests that
    /// wait for memory continue if they now fit.
    public func giveBack(_ bytes: Int, for use: Use) {
        let (admitted, hasDropped) = state.withLock { state in
            state.used -= bytes
            state.usedBy[use.rawValue] -= bytes
            let hasDropped = state.used <= state.peak - drop
            if hasDropped { state.peak = state.used }
            return (admitWaiting(&state), hasDropped)
        }
        // Tasks resume on another thread, because the caller may hold the lock of `InFlightFetches`.
        if !admitted.isEmpty {
            DispatchQueue.global().async { [waiters] in for id in admitted { waiters.end(id, with: true) } }
        }
        if hasDropped { trimmer?.request() }
    }

    // MARK: Under the lock

    func take(_ bytes: Int, for use: Use, _ state: inout State) -> Bool {
        // If the bound is small, a single tile may exceed the share.
        let isAlone = use == .encodedTiles && state.usedBy[use.rawValue] == 0
        guard isAlone || bytes <= part(use.share) - state.usedBy[use.rawValue],
            bytes <= part(use.level) - state.used - state.uncounted
        else {
            return false
        }
        state.count(bytes, for: use)
        return true
    }

    /// Admits the waiting requests that now fit, and counts their bytes. Requests for tiles come first and requests for
    /// images last. The caller resumes the returned waits after it has released the lock.
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
        // Exact, and without overflow for large bounds.
        bytes / 8 * eighths + bytes % 8 * eighths / 8
    }
}

/// The reason why memory cannot be reserved.
public enum MemoryShortageError: Error, Equatable {
    /// The request is larger than `most` bytes, the largest request of the use that can ever fit.
    case neverFits(most: Int)
    /// There is no room now. There may be room later.
    case noRoom
}
