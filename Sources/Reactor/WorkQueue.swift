import Dispatch
import Synchronization

/// A bounded room for work that blocks or computes: at most `width` pieces run at once and at most `depth` wait.
///
/// Clients take turns, and layers take turns within a client, so that a crowd of one waits behind itself. Pieces of one
/// client and layer run in the order in which they came.
///
/// Thread rule: any thread. Nothing blocks while it waits for its turn.
public final class WorkQueue: Sendable {
    /// The queue is full: the work was not taken.
    public struct OverflowError: Error {}

    private let queue: DispatchQueue
    private let width: Int
    private let depth: Int
    private let state = Mutex(State())

    private struct State {
        var running = 0
        var waiting = WorkLanes()
    }

    public init(label: String, width: Int, depth: Int) {
        precondition(width > 0 && depth >= 0, "a work queue runs at least one piece of work")
        queue = DispatchQueue(label: label, attributes: .concurrent)
        self.width = width
        self.depth = depth
    }

    /// Runs `work` on one of this queue's threads and returns what it returns. Work whose turn comes only after
    /// `maxWait` seconds is not begun, because nobody waits for it any more: that counts as an overflow. `layer` says
    /// whose work it is; the client is `WorkClient.current`.
    public func run<Value: Sendable>(
        maxWait: Double = .infinity, for layer: String = "", _ work: @escaping @Sendable () -> Value
    ) async throws(OverflowError) -> Value {
        let end = maxWait.isFinite ? MonotonicTime.now().adding(seconds: maxWait) : .distantFuture
        let value: Value? = await withCheckedContinuation { continuation in
            let accepted = submit(for: layer) { continuation.resume(returning: end < .now() ? nil : work()) }
            if !accepted { continuation.resume(returning: nil) }
        }
        guard let value else { throw OverflowError() }
        return value
    }

    /// Takes `work` unless the queue is full; says whether it did.
    public func submit(for layer: String = "", _ work: @escaping @Sendable () -> Void) -> Bool {
        enum Decision { case start, wait, refuse }
        let piece = WorkLanes.Piece(client: WorkClient.current, layer: layer, run: work)
        let decision = state.withLock { state in
            if state.running < width {
                state.running += 1
                return Decision.start
            }
            guard state.waiting.admits(piece, depth: depth) else { return .refuse }
            state.waiting.append(piece)
            return .wait
        }
        if decision == .start { queue.async { self.work(through: piece) } }
        return decision != .refuse
    }

    private func work(through first: WorkLanes.Piece) {
        var piece: WorkLanes.Piece? = first
        while let current = piece {
            current.run()
            piece = next()
        }
    }

    /// The next piece of waiting work; nil gives the runner's place back.
    private func next() -> WorkLanes.Piece? {
        state.withLock { state in
            let piece = state.waiting.popFirst()
            if piece == nil { state.running -= 1 }
            return piece
        }
    }
}

/// Whom work is done for.
public enum WorkClient {
    /// Bytes that tell the client whose request the task answers from others; nil where that is unknown, or where there is
    /// none.
    @TaskLocal public static var current: [UInt8]?
}
