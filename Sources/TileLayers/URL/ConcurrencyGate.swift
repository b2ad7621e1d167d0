import Dispatch
import Reactor
import Synchronization

/// Lets at most `width` callers in at once and at most `depth` wait, first come, first served, for a limited time.
///
/// A class to own the queue. Thread rule: any thread; nobody blocks.
final class ConcurrencyGate: Sendable {
    private let width: Int
    private let depth: Int
    private let patience: Double
    private let state = Mutex(State())

    fileprivate struct Waiter {
        let continuation: UnsafeContinuation<Bool, Never>
        let deadline: MonotonicTime
    }

    fileprivate struct State {
        var inside = 0
        var waiting: [Waiter] = []
        /// The index of the first that still waits.
        var next = 0
        var isTimerSet = false
    }

    /// `patience` is the longest wait, in seconds.
    init(width: Int, depth: Int, patience: Double) {
        precondition(width > 0 && depth >= 0 && patience >= 0, "a gate lets at least one caller in")
        self.width = width
        self.depth = depth
        self.patience = patience
    }

    /// Callers that wait.
    var waitingCount: Int { state.withLock { $0.waiting.count - $0.next } }

    /// Waits for a place. True means the caller is inside and must `leave`; false that there was no place in time.
    func enter() async -> Bool {
        let isInside = state.withLock { state in
            guard state.inside < width else { return false }
            state.inside += 1
            return true
        }
        if isInside { return true }
        return await withUnsafeContinuation { wait($0) }
    }

    /// Gives the place to the caller that waits longest.
    func leave() {
        let heir: Waiter? = state.withLock { state in
            if let heir = state.popFirst() { return heir }
            state.inside -= 1
            return nil
        }
        heir?.continuation.resume(returning: true)
    }

    private func wait(_ continuation: UnsafeContinuation<Bool, Never>) {
        enum Decision { case enter, wait, waitAndSetTimer, refuse }
        let deadline = MonotonicTime.now().adding(seconds: patience)
        let decision: Decision = state.withLock { state in
            // Somebody may have left since `enter` looked.
            if state.inside < width {
                state.inside += 1
                return .enter
            }
            guard state.waiting.count - state.next < depth else { return .refuse }
            state.waiting.append(Waiter(continuation: continuation, deadline: deadline))
            defer { state.isTimerSet = true }
            return state.isTimerSet ? .wait : .waitAndSetTimer
        }
        switch decision {
        case .enter: continuation.resume(returning: true)
        case .refuse: continuation.resume(returning: false)
        case .wait: break
        case .waitAndSetTimer: setTimer(deadline)
        }
    }

    /// One timer for all: who comes later waits no shorter.
    private func setTimer(_ deadline: MonotonicTime) {
        let delay = max(deadline.nanoseconds - MonotonicTime.now().nanoseconds, 0)
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(delay)) { self.turnAway() }
    }

    private func turnAway() {
        let now = MonotonicTime.now()
        let (late, following) = state.withLock { state in
            var late: [Waiter] = []
            while let first = state.first, first.deadline <= now {
                late.append(first)
                _ = state.popFirst()
            }
            state.isTimerSet = state.first != nil
            return (late, state.first?.deadline)
        }
        for waiter in late { waiter.continuation.resume(returning: false) }
        if let following { setTimer(following) }
    }
}

extension ConcurrencyGate.State {
    fileprivate var first: ConcurrencyGate.Waiter? {
        next < waiting.count ? waiting[next] : nil
    }

    fileprivate mutating func popFirst() -> ConcurrencyGate.Waiter? {
        guard let first else { return nil }
        next += 1
        // Amortised O(1): the array is shortened when half of it is done with.
        if next * 2 >= waiting.count {
            waiting.removeFirst(next)
            next = 0
        }
        return first
    }
}
