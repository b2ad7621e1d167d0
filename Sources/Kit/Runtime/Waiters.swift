import Dispatch
import Synchronization

/// Timers of all `Waiters`. A queue of its own, for the global ones share their threads with layers, which may block them.
private let waitDeadlines = DispatchQueue(label: "deadlines")

/// Waits of one kind. Each ends exactly once: with an answer, at its deadline, or because its task was cancelled.
///
/// The owner keeps the order of its waits in a state of its own, and so decides which wait ends next:
///
/// 1. Under the owner's lock, `begin` gives the wait an id, which the owner puts into its queue.
/// 2. `wait` suspends the task. An answer that comes before that is not lost.
/// 3. The owner takes the id off its queue, again under its lock, and calls `end` behind it.
///
/// At the deadline and when the task is cancelled, `giveUp` is called. It takes the id off the owner's queue and returns the answer. If
/// the id is not there any more, the owner is about to end the wait: `giveUp` returns nil, and the wait goes on until `end`. A deadline
/// comes once: only `postpone` sets another.
///
/// A class to own the waits. Thread rule: any thread. No task is resumed and no closure is called under a lock.
public final class Waiters<Value: Sendable>: Sendable {
    /// Tells a wait from all others of the same `Waiters`.
    public struct ID: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    /// The owner's decision on a task that wants something.
    public enum Entry: Sendable {
        case answer(Value)
        case waits(ID)
    }

    /// Why a wait is to end without an answer.
    public enum Reason: Sendable {
        case late
        case cancelled
    }

    /// Returns the answer of a wait that ends without one; nil if the wait must go on.
    public typealias GiveUp = @Sendable (Reason) -> Value?

    private enum Wait {
        /// `wait` was not called yet.
        case begun
        /// The answer came before `wait` was called.
        case answered(Value)
        case waits(resume: @Sendable (Value) -> Void, deadline: MonotonicTime, giveUp: GiveUp)
    }

    private struct State {
        var waits: [ID: Wait] = [:]
        var last: UInt64 = 0
        /// No later than the first deadline: a timer is set for this time, unless it is `distantFuture`.
        var fires = MonotonicTime.distantFuture

        /// Whether a timer is to be set for `deadline`.
        mutating func isEarliest(_ deadline: MonotonicTime) -> Bool {
            guard deadline < fires else { return false }
            fires = deadline
            return true
        }
    }

    private let state = Mutex(State())

    public init() {}

    /// The number of waits that have begun and not ended.
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

    /// Suspends the task until the wait ends. To be called once for each id. `giveUp` gets the id.
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

    /// Calls `resume` once, when the wait ends: before this returns if the answer is there already. To be called once for each id.
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

    /// Ends the wait with its answer. Not to be called under a lock: it resumes the task. Further answers are ignored.
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

    /// Whether the wait has no answer yet, and has not ended without one.
    package func isOpen(_ id: ID) -> Bool {
        state.withLock { state in
            if case .answered = state.waits[id] { false } else { state.waits[id] != nil }
        }
    }

    /// Gives a wait that goes on another deadline.
    public func postpone(_ id: ID, to deadline: MonotonicTime) {
        let isEarliest = state.withLock { state in
            guard case .waits(let resume, _, let giveUp) = state.waits[id] else { return false }
            state.waits[id] = .waits(resume: resume, deadline: deadline, giveUp: giveUp)
            return state.isEarliest(deadline)
        }
        if isEarliest { setTimer(deadline) }
    }

    /// Ends a wait that `wait` and `call` were not called for.
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

    /// Has each wait give up once whose deadline is over, and sets a timer for the others. `time`: that of the timer that fired. There
    /// may be others, which were set before or are set for later.
    private func giveUpLate(_ time: MonotonicTime) {
        // The timer's clock may be a moment ahead.
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
