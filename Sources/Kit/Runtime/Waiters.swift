import Dispatch
import Synchronization

/// The Dispatch queue for the timers of all `Waiters`. The global queues are not used, because layers may block the
/// threads of those queues.
private let waitDeadlines = DispatchQueue(label: "deadlines")

/// Suspends tasks until their owner, such as a queue, has an answer for them. A suspended task is called a wait. A wait
/// ends once: with an answer, at its deadline, because its task was cancelled, or by `forget`.
///
/// The owner decides which wait ends next. It stores the order of the waits in a queue of its own:
///
/// 1. Under the owner's lock, `begin` returns an id. The owner puts the id into its queue.
/// 2. `wait` suspends the task. An answer that arrives before `wait` is called is not lost.
/// 3. The owner removes the id from its queue, again under its lock. After the lock is released, the owner calls `end`.
///
/// At the deadline and on cancellation, the closure `giveUp` is called. Normally, `giveUp` removes the id from the
/// owner's queue and returns the answer. If the queue does not have the id any more, the owner is about to call `end`.
/// `giveUp` then returns nil, and the wait continues until `end`. A deadline fires once, unless `postpone` sets a new
/// deadline.
///
/// A class because callers and timers share the waits. Thread rule: any thread. No task is resumed and no closure is
/// called under a lock.
public final class Waiters<Value: Sendable>: Sendable {
    /// Identifies a wait among all waits of the same `Waiters`.
    public struct ID: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    /// The owner's decision on a task that asks for something: an answer at once, or a wait.
    public enum Entry: Sendable {
        case answer(Value)
        case waits(ID)
    }

    /// The reason why a wait should end without an answer.
    public enum Reason: Sendable {
        case late
        case cancelled
    }

    /// Returns the answer of a wait that ends at its deadline or on cancellation. Returns nil if the wait must go on.
    public typealias GiveUp = @Sendable (Reason) -> Value?

    private enum Wait {
        /// `wait` or `call` was not called yet.
        case begun
        /// The answer came before `wait` or `call` was called.
        case answered(Value)
        case waits(resume: @Sendable (Value) -> Void, deadline: MonotonicTime, giveUp: GiveUp)
    }

    private struct State {
        var waits: [ID: Wait] = [:]
        var last: UInt64 = 0
        /// A time for which a timer is pending, never later than the first deadline. `distantFuture` only if no wait
        /// has a deadline.
        var fires = MonotonicTime.distantFuture

        /// Reports whether a timer must be set for `deadline`, and if so records `deadline` in `fires`.
        mutating func isEarliest(_ deadline: MonotonicTime) -> Bool {
            guard deadline < fires else { return false }
            fires = deadline
            return true
        }
    }

    private let state = Mutex(State())

    public init() {}

    /// Number of waits that have begun and not ended.
    public var count: Int { state.withLock { $0.waits.count } }

    /// Begins a wait. `wait`, `call` or `forget` must follow.
    public func begin() -> ID {
        state.withLock { state in
            state.last += 1
            let id = ID(number: state.last)
            state.waits[id] = .begun
            return id
        }
    }

    /// Returns the answer of `entry`, or suspends the task until its wait ends. Call this once for each id. `giveUp`
    /// gets the id.
    public func wait(
        _ entry: Entry, until deadline: MonotonicTime = .distantFuture,
        giveUp: @escaping @Sendable (ID, Reason) -> Value?
    ) async -> Value {
        switch entry {
        case .answer(let value): value
        case .waits(let id): await wait(id, until: deadline) { giveUp(id, $0) }
        }
    }

    private func wait(_ id: ID, until deadline: MonotonicTime, giveUp: @escaping GiveUp) async -> Value {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                call(id, until: deadline, giveUp: giveUp) { continuation.resume(returning: $0) }
            }
        } onCancel: {
            end(id, if: giveUp(.cancelled))
        }
    }

    /// Waits without suspending a task: calls `resume` with the answer when the wait ends. If the answer has already
    /// arrived, `resume` runs before this method returns. Call this method once for each id.
    public func call(
        _ id: ID, until deadline: MonotonicTime, giveUp: @escaping GiveUp, _ resume: @escaping @Sendable (Value) -> Void
    ) {
        let (answer, isEarliest) = state.withLock { state -> (Value?, Bool) in
            if case .answered(let value) = state.waits[id] {
                state.waits[id] = nil
                return (value, false)
            }
            state.waits[id] = .waits(resume: resume, deadline: deadline, giveUp: giveUp)
            return (nil, state.isEarliest(deadline))
        }
        if let answer { resume(answer) }
        if isEarliest { setTimer(deadline) }
    }

    /// Ends the wait `id` with an answer and resumes its task. Do not call this method under a lock, because the
    /// resumed task may take the same lock. A second answer for an id is ignored.
    public func end(_ id: ID, with value: Value) {
        let resume = state.withLock { state -> (@Sendable (Value) -> Void)? in
            switch state.waits[id] {
            case .begun:
                state.waits[id] = .answered(value)
                return nil
            case .waits(let resume, _, _):
                state.waits[id] = nil
                return resume
            case .answered, nil: return nil
            }
        }
        resume?(value)
    }

    /// True if the wait has no answer yet and has not ended.
    package func isOpen(_ id: ID) -> Bool {
        state.withLock { state in
            if case .answered = state.waits[id] { false } else { state.waits[id] != nil }
        }
    }

    /// Sets a new deadline for a wait that `wait` or `call` has started and that has not ended.
    public func postpone(_ id: ID, to deadline: MonotonicTime) {
        let isEarliest = state.withLock { state in
            guard case .waits(let resume, _, let giveUp) = state.waits[id] else { return false }
            state.waits[id] = .waits(resume: resume, deadline: deadline, giveUp: giveUp)
            return state.isEarliest(deadline)
        }
        if isEarliest { setTimer(deadline) }
    }

    /// Ends a wait for which neither `wait` nor `call` was called.
    public func forget(_ id: ID) { state.withLock { $0.waits[id] = nil } }

    private func end(_ id: ID, if value: Value?) {
        if let value { end(id, with: value) }
    }

    // MARK: Deadlines

    private func setTimer(_ time: MonotonicTime) {
        let left = max(time.nanoseconds - MonotonicTime.now().nanoseconds, 0)
        waitDeadlines.asyncAfter(deadline: .now() + .nanoseconds(left)) { [weak self] in
            self?.giveUpLate(time)
        }
    }

    /// Calls `giveUp` once for each wait whose deadline has passed, and sets a timer for the next deadline if none
    /// is set. `time` is the time for which the current timer was set. Other timers may still be pending.
    private func giveUpLate(_ time: MonotonicTime) {
        // The timer's clock may be slightly ahead of `MonotonicTime`.
        let now = max(MonotonicTime.now(), time)
        let (late, next) = state.withLock { state in
            var (late, next) = ([(id: ID, giveUp: GiveUp)](), MonotonicTime.distantFuture)
            for case (let id, .waits(_, let deadline, let giveUp)) in state.waits {
                if deadline <= now { late.append((id, giveUp)) } else { next = min(next, deadline) }
            }
            for (id, giveUp) in late {
                guard case .waits(let resume, _, _) = state.waits[id] else { continue }
                state.waits[id] = .waits(resume: resume, deadline: .distantFuture, giveUp: giveUp)
            }
            let pending = state.fires > now ? state.fires : .distantFuture
            state.fires = min(next, pending)
            return (late, next < pending ? next : nil)
        }
        if let next { setTimer(next) }
        for (id, giveUp) in late { end(id, if: giveUp(.late)) }
    }
}
