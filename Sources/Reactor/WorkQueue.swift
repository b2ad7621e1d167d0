import Dispatch
import Synchronization

/// A bounded room for work that blocks or computes: at most `width` pieces run at once and at most `depth` wait.
///
/// Thread rule: any thread. Order is first in, first out. Nothing blocks while it waits for its turn.
public final class WorkQueue: Sendable {
    /// The queue is full: the work was not taken.
    public struct Overflow: Error {}

    private let queue: DispatchQueue
    private let width: Int
    private let depth: Int
    private let state = Mutex(State())

    fileprivate struct State {
        var running = 0
        var waiting = FIFO<@Sendable () -> Void>()
    }

    public init(label: String, width: Int, depth: Int) {
        precondition(width > 0 && depth >= 0, "a work queue runs at least one piece of work")
        queue = DispatchQueue(label: label, attributes: .concurrent)
        self.width = width
        self.depth = depth
    }

    /// Runs `work` on one of this queue's threads and returns what it returns. Work whose turn comes only after
    /// `maxWait` seconds is not begun, because nobody waits for it any more: that counts as an overflow.
    public func run<Value: Sendable>(
        maxWait: Double = .infinity, _ work: @escaping @Sendable () -> Value
    ) async throws(Overflow) -> Value {
        let end = maxWait.isFinite ? MonotonicTime.now().adding(seconds: maxWait) : .distantFuture
        let value: Value? = await withCheckedContinuation { continuation in
            let accepted = submit { continuation.resume(returning: end < .now() ? nil : work()) }
            if !accepted { continuation.resume(returning: nil) }
        }
        guard let value else { throw Overflow() }
        return value
    }

    /// Takes `work` unless the queue is full; says whether it did.
    public func submit(_ work: @escaping @Sendable () -> Void) -> Bool {
        enum Decision { case start, wait, refuse }
        let decision = state.withLock { state in
            if state.running < width {
                state.running += 1
                return Decision.start
            }
            guard state.waiting.count < depth else { return .refuse }
            state.waiting.append(work)
            return .wait
        }
        if decision == .start { queue.async { self.work(through: work) } }
        return decision != .refuse
    }

    private func work(through first: @escaping @Sendable () -> Void) {
        var work: (@Sendable () -> Void)? = first
        while let current = work {
            current()
            work = state.withLock { $0.takeNext() }
        }
    }
}

extension WorkQueue.State {
    /// The next piece of waiting work; nil gives the runner's place back.
    mutating func takeNext() -> (@Sendable () -> Void)? {
        let work = waiting.popFirst()
        if work == nil { running -= 1 }
        return work
    }
}
