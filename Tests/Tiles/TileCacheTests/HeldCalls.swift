import Synchronization
import TestSupport

/// Calls that wait until a schedule answers them or their task is cancelled.
///
/// Thread rule: any thread.
final class HeldCalls<Call: Sendable, Answer: Sendable>: Sendable {
    struct Held: Sendable {
        let call: Call
        let answer: @Sendable (Answer) -> Void
    }

    private struct State {
        var held: [Int: Held] = [:]
        var cancelled: Set<Int> = []
        var last = 0
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.held.count } }
    var calls: [Call] { state.withLock { state in state.held.keys.sorted().compactMap { state.held[$0]?.call } } }

    /// Waits for an answer. If the task is cancelled, returns `cancelled`. If `cancelled` is nil, a cancelled task
    /// continues to wait.
    func wait(_ call: Call, cancelled: Answer?) async -> Answer {
        let id = add()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                hold(id, Held(call: call) { continuation.resume(returning: $0) }, cancelled: cancelled)
            }
        } onCancel: {
            if let cancelled { cancel(id, cancelled) }
        }
    }

    func hold(_ call: Call, _ answer: @escaping @Sendable (Answer) -> Void) {
        hold(add(), Held(call: call, answer: answer), cancelled: nil)
    }

    /// Removes and returns a random call, which the caller must answer. Returns nil if there is no call.
    func take(_ random: inout SeededRandom) -> Held? {
        state.withLock { state in
            guard let id = state.held.keys.sorted().randomElement(using: &random) else { return nil }
            return state.held.removeValue(forKey: id)
        }
    }

    private func add() -> Int {
        state.withLock { state in
            state.last += 1
            return state.last
        }
    }

    private func hold(_ id: Int, _ held: Held, cancelled: Answer?) {
        let isCancelled = state.withLock { state in
            if state.cancelled.contains(id) { return true }
            state.held[id] = held
            return false
        }
        if isCancelled, let cancelled { held.answer(cancelled) }
    }

    private func cancel(_ id: Int, _ answer: Answer) {
        let held = state.withLock { state in
            state.cancelled.insert(id)
            return state.held.removeValue(forKey: id)
        }
        held?.answer(answer)
    }
}
