import Runtime

/// Runs reads of the disk, and answers nil for those that take too long: a disk that hangs must not hang requests,
/// which can ask the tile's source instead.
///
/// A class to own the queue and the waits for the reads. Thread rule: any thread; no caller blocks.
final class TimedReads: Sendable {
    private let queue: WorkQueue
    private let seconds: Double
    private let waiters = Waiters<TileRecord?>()

    init(limits: DiskSettings) {
        queue = WorkQueue(label: "tile disk reads", width: max(limits.readers, 1), depth: max(limits.readQueue, 0))
        seconds = limits.readTimeout
    }

    /// What `read` returns; nil where that takes too long, or so many wait that asking the source is quicker.
    func run(_ read: @escaping @Sendable () -> TileRecord?) async -> TileRecord? {
        let id = waiters.begin()
        let isTaken = queue.submit { [waiters] in
            // A read that has timed out while it waited is not done any more.
            if waiters.isOpen(id) { waiters.end(id, with: read()) }
        }
        if !isTaken { waiters.end(id, with: nil) }
        return await waiters.wait(.waits(id), until: .now().adding(seconds: seconds)) { _, reason in
            reason == .late ? .some(nil) : nil
        }
    }
}
