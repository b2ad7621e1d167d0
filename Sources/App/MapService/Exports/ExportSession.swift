import Synchronization

/// Runs an export in a task of its own, and passes the progress to one reader.
///
/// This is a class because it owns the task of the export: when the reader releases the session, `deinit` cancels the
/// task. Thread rule: only one task at a time may call `next()`.
final class ExportSession: Sendable {
    private let channel: ExportChannel
    private let task: Task<Void, any Error>

    init(_ service: MapService, _ order: ExportOrder) {
        let channel = ExportChannel()
        self.channel = channel
        // The task must not hold the session, which would then never be released.
        task = Task.detached {
            defer { channel.end() }
            let counts = try await service.export(order) { total in
                channel.begin(total)
            } progress: { counts in
                channel.send(counts)
            } failed: { failure in
                await channel.send(failure)
            }
            channel.send(counts)
        }
    }

    deinit { task.cancel() }

    func next() async throws -> TileServerExport.Progress? {
        while !Task.isCancelled {
            if let progress = channel.take() { return progress }
            guard await channel.wait() else { break }
        }
        if Task.isCancelled { task.cancel() } else if let last = channel.take() { return last }
        // Returns after the draft is removed or has its name.
        try await task.value
        return nil
    }
}

/// Passes the progress of an export from the export's task to its reader. New numbers replace numbers that the reader
/// has not taken. Failed tiles wait in a list. While the list is full (`mostFailures`), the export waits for the
/// reader.
///
/// Thread rule: one task calls `begin`, `send` and `end`, and one task calls `take` and `wait`.
final class ExportChannel: Sendable {
    private struct State {
        var total: Int?
        var counts = TileExport.Progress()
        var failures: [FailedTile] = []
        /// True if `total` or `counts` has changed since the reader's latest call of `take()`.
        var isNew = false
    }

    /// Maximum number of failed tiles in the list that the reader has not taken yet.
    static let mostFailures = 1_000

    private let state = Mutex(State())
    // Each stream holds at most one signal, so signals do not grow with the number of tiles.
    private let news = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    private let room = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    // The sender.

    func begin(_ total: Int) {
        state.withLock { ($0.total, $0.isNew) = (total, true) }
        news.continuation.yield()
    }

    func send(_ counts: TileExport.Progress) {
        state.withLock { ($0.counts, $0.isNew) = (counts, true) }
        news.continuation.yield()
    }

    /// Adds `failure` to the list for the reader. Waits while the list holds `mostFailures` tiles. If the task is
    /// cancelled during the wait, drops `failure`.
    func send(_ failure: FailedTile) async {
        var signals = room.stream.makeAsyncIterator()
        while true {
            let isAdded = state.withLock { state in
                guard state.failures.count < Self.mostFailures else { return false }
                state.failures.append(failure)
                return true
            }
            if isAdded { return }
            news.continuation.yield()
            guard await signals.next() != nil else { return }
        }
    }

    /// Ends the waits of the reader.
    func end() { news.continuation.finish() }

    // The reader.

    /// Returns the newest numbers, and the tiles that failed since the previous `take()`. Returns nil if nothing has
    /// changed since then.
    func take() -> TileServerExport.Progress? {
        let taken = state.withLock { state -> TileServerExport.Progress? in
            guard let total = state.total, state.isNew || !state.failures.isEmpty else { return nil }
            let (counts, failures) = (state.counts, state.failures)
            (state.failures, state.isNew) = ([], false)
            return TileServerExport.Progress(
                done: counts.done, total: total, written: counts.written, absent: counts.absent,
                failed: counts.failed, bytes: counts.bytes, failures: failures)
        }
        room.continuation.yield()
        return taken
    }

    /// Waits until the export sends new numbers or a failed tile. Returns false if the export has ended, or if the
    /// task is cancelled.
    func wait() async -> Bool {
        var signals = news.stream.makeAsyncIterator()
        return await signals.next() != nil
    }
}
