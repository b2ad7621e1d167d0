import Dispatch
import Synchronization

/// A bounded room for work that blocks or computes: at most `width` pieces run at once and at most `depth` wait.
///
/// Clients take turns, and layers take turns within a client, so that a crowd of one waits behind itself. Pieces of one
/// client and layer run in the order in which they came. The threads are the queue's own: they come when there is work and end
/// when there was none for a while.
///
/// Thread rule: any thread. Nothing blocks while it waits for its turn.
public final class WorkQueue: Sendable {
    /// The queue is full: the work was not taken.
    public struct Overflow: Error {}

    private let shared: Shared

    /// `niceness` in 0…19 is added to that of the process: how far the threads stand back where the cores are busy.
    public init(label: String, width: Int, depth: Int, niceness: Int32 = 0) {
        precondition(width > 0 && depth >= 0, "a work queue runs at least one piece of work")
        shared = Shared(label: label, width: width, depth: depth, niceness: niceness)
    }

    deinit { shared.end() }

    /// Runs `work` on one of this queue's threads and returns what it returns. Work whose turn comes only after
    /// `maxWait` seconds is not begun, because nobody waits for it any more: that counts as an overflow. `layer` says
    /// whose work it is; the client is `WorkClient.current`.
    public func run<Value: Sendable>(
        maxWait: Double = .infinity, for layer: String = "", _ work: @escaping @Sendable () -> Value
    ) async throws(Overflow) -> Value {
        let end = maxWait.isFinite ? MonotonicTime.now().adding(seconds: maxWait) : .distantFuture
        let value: Value? = await withCheckedContinuation { continuation in
            let accepted = submit(for: layer) { continuation.resume(returning: end < .now() ? nil : work()) }
            if !accepted { continuation.resume(returning: nil) }
        }
        guard let value else { throw Overflow() }
        return value
    }

    /// Takes `work` unless the queue is full; says whether it did.
    public func submit(for layer: String = "", _ work: @escaping @Sendable () -> Void) -> Bool {
        shared.submit(WorkLanes.Piece(client: WorkClient.current, layer: layer, run: work))
    }
}

/// Whom work is done for.
public enum WorkClient {
    /// Bytes that tell the client whose request the task answers from others; nil where that is unknown, or where there is
    /// none.
    @TaskLocal public static var current: [UInt8]?
}

extension WorkQueue {
    /// What the queue shares with its threads.
    private final class Shared: Sendable {
        private struct State {
            var waiting = WorkLanes()
            /// Threads that run pieces, or were started or woken to.
            var running = 0
            /// Threads that wait for work.
            var idle = 0
            var isOver = false
        }

        private let label: String
        private let width: Int
        private let depth: Int
        private let niceness: Int32
        private let state = Mutex(State())
        private let wakeup = DispatchSemaphore(value: 0)

        init(label: String, width: Int, depth: Int, niceness: Int32) {
            self.label = label
            self.width = width
            self.depth = depth
            self.niceness = niceness
        }

        func submit(_ piece: WorkLanes.Piece) -> Bool {
            enum Decision { case start, wake, wait, refuse }
            let decision = state.withLock { state -> Decision in
                let isFree = state.running < width
                guard isFree || state.waiting.admits(piece, depth: depth) else { return .refuse }
                state.waiting.append(piece)
                guard isFree else { return .wait }
                state.running += 1
                if state.idle > 0 {
                    state.idle -= 1
                    return .wake
                }
                return .start
            }
            switch decision {
            case .start: start()
            case .wake: wakeup.signal()
            case .wait, .refuse: break
            }
            return decision != .refuse
        }

        func end() {
            let idle = state.withLock { state in
                state.isOver = true
                return state.idle
            }
            for _ in 0..<idle { wakeup.signal() }
        }

        private func start() {
            WorkThread.start(label: label, niceness: niceness) { self.work() }
        }

        /// The life of one thread.
        private func work() {
            while true {
                switch next() {
                case .run(let piece): piece.run()
                case .wait: if !waitsForWork() { return }
                case .end: return
                }
            }
        }

        private enum Step {
            case run(WorkLanes.Piece)
            case wait
            case end
        }

        private func next() -> Step {
            state.withLock { state in
                if let piece = state.waiting.popFirst() { return .run(piece) }
                state.running -= 1
                if state.isOver { return .end }
                state.idle += 1
                return .wait
            }
        }

        /// False where the thread is to end. `submit` takes a thread out of `idle` before it signals, so there are as many
        /// idle threads as nobody has woken, whichever these turn out to be.
        private func waitsForWork() -> Bool {
            while true {
                let isWoken = wakeup.wait(timeout: .now() + .seconds(Self.idleSeconds)) == .success
                let works: Bool? = state.withLock { state in
                    if isWoken, !state.isOver { return true }
                    if state.idle > 0 {
                        state.idle -= 1
                        return false
                    }
                    // One of the wake-ups is for this thread: it has come, or is on its way.
                    return isWoken ? true : nil
                }
                if let works { return works }
            }
        }

        /// How long a thread waits for work before it ends.
        private static let idleSeconds = 10
    }
}
