import Dispatch
import Runtime
import Synchronization

/// Runs reads of the disk, and answers nil for those that take too long: a disk that hangs must not hang requests,
/// which can ask the tile's source instead.
///
/// One timer checks all reads that are under way, because one for each would cost as much as the read.
///
/// A class to own the queue and the reads. Thread rule: any thread; no caller blocks.
final class TimedReads: Sendable {
    private typealias Answer = SingleAnswer<TileRecord?>

    private struct State {
        var reads: [Int: (end: MonotonicTime, answer: Answer)] = [:]
        var count = 0
        var isWatching = false
    }

    private let queue: WorkQueue
    private let watcher = DispatchQueue(label: "tile disk timeouts")
    private let seconds: Double
    private let state = Mutex(State())

    init(limits: DiskSettings) {
        queue = WorkQueue(label: "tile disk reads", width: max(limits.readers, 1), depth: max(limits.readQueue, 0))
        seconds = limits.readTimeout
    }

    /// What `read` returns; nil where that takes too long, or so many wait that asking the source is quicker.
    func run(_ read: @escaping @Sendable () -> TileRecord?) async -> TileRecord? {
        await withCheckedContinuation { continuation in
            let answer = Answer(continuation)
            let number = begin(answer)
            let isTaken = queue.submit { [self] in
                // A read that has timed out while it waited is not done any more.
                if !answer.isGiven { answer.give(read()) }
                end(number)
            }
            guard !isTaken else { return }
            end(number)
            answer.give(nil)
        }
    }

    private func begin(_ answer: Answer) -> Int {
        let (number, starts) = state.withLock { state in
            state.count += 1
            state.reads[state.count] = (MonotonicTime.now().adding(seconds: seconds), answer)
            defer { state.isWatching = true }
            return (state.count, !state.isWatching)
        }
        if starts { watch() }
        return number
    }

    private func end(_ number: Int) {
        state.withLock { $0.reads[number] = nil }
    }

    private func watch() {
        watcher.asyncAfter(deadline: .now() + seconds / 4) { [weak self] in self?.giveUp() }
    }

    private func giveUp() {
        let now = MonotonicTime.now()
        let (late, goesOn) = state.withLock { state in
            let late = state.reads.filter { $0.value.end <= now }
            for number in late.keys { state.reads[number] = nil }
            state.isWatching = !state.reads.isEmpty
            return (late.values.map(\.answer), state.isWatching)
        }
        for answer in late { answer.give(nil) }
        if goesOn { watch() }
    }
}
