import Dispatch
import Synchronization

/// Lets `width` callers in at a time; up to `depth` others wait, without a thread, and not for ever.
///
/// Thread rule: any thread. Order is first in, first out.
final class ConcurrencyLimit: Sendable {
    private struct State {
        var inside = 0
        var waiting: [(number: Int, continuation: CheckedContinuation<Bool, Never>)] = []
        var count = 0
    }

    private let width: Int
    private let depth: Int
    private let state = Mutex(State())

    init(width: Int, depth: Int) {
        self.width = width
        self.depth = depth
    }

    /// False where too many wait already, after `maxWait` seconds, or as soon as the task is cancelled; else the caller is
    /// inside when this returns, and must `leave`.
    func enter(maxWait: Double) async -> Bool {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        return await withTaskCancellationHandler {
            await enter(number, maxWait)
        } onCancel: {
            giveUp(number)
        }
    }

    private func enter(_ number: Int, _ maxWait: Double) async -> Bool {
        await withCheckedContinuation { continuation in
            enum Decision { case enter, refuse, wait }
            let decision = state.withLock { state -> Decision in
                if state.inside < width {
                    state.inside += 1
                    return .enter
                }
                guard state.waiting.count < depth else { return .refuse }
                state.waiting.append((number, continuation))
                return .wait
            }
            switch decision {
            case .enter: continuation.resume(returning: true)
            case .refuse: continuation.resume(returning: false)
            case .wait:
                // Cancelled before it waited, when there was nothing to give up.
                if Task.isCancelled { return giveUp(number) }
                DispatchQueue.global().asyncAfter(deadline: .now() + maxWait) { [weak self] in self?.giveUp(number) }
            }
        }
    }

    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst().continuation }
            state.inside -= 1
            return nil
        }
        next?.resume(returning: true)
    }

    private func giveUp(_ number: Int) {
        let late = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard let index = state.waiting.firstIndex(where: { $0.number == number }) else { return nil }
            return state.waiting.remove(at: index).continuation
        }
        late?.resume(returning: false)
    }
}
