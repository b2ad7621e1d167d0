import Dispatch
import Reactor
import Synchronization

/// Lets `width` callers in at a time; up to `depth` others wait, without a thread, and not for ever. Who can be expected to wait too
/// long is refused at once.
///
/// Thread rule: any thread. Order is first in, first out.
final class ConcurrencyLimit: Sendable {
    /// A caller that is inside, and must `leave`.
    struct Place: Sendable {
        fileprivate let began: MonotonicTime
        fileprivate let isLong: Bool
    }

    enum Entry: Sendable {
        case inside(Place)
        /// It may ask again after these seconds.
        case refused(retryAfter: Int)
    }

    private struct Waiter {
        let number: Int
        let isLong: Bool
        let continuation: CheckedContinuation<Entry, Never>
    }

    private struct State {
        var inside = 0
        /// Of those inside, the ones whose stay says nothing of others'.
        var long = 0
        var waiting: [Waiter] = []
        var count = 0
        /// Of those inside.
        var estimate = WaitEstimate()
    }

    private let width: Int
    private let depth: Int
    private let now: @Sendable () -> MonotonicTime
    private let state = Mutex(State())

    init(width: Int, depth: Int, now: @escaping @Sendable () -> MonotonicTime = MonotonicTime.now) {
        self.width = width
        self.depth = depth
        self.now = now
    }

    /// Nil where a caller that comes now could enter, or wait; else seconds after which it may ask again.
    func refusal(maxWait: Double) -> Int? {
        let now = now()
        return state.withLock { $0.inside < width ? nil : refusal(&$0, maxWait, now) }
    }

    /// `isLong`: the caller stays for long, unlike others; their estimate is made without it.
    ///
    /// Refused where too many wait already, where its turn can be expected to come more than `maxWait` seconds later, or does,
    /// and as soon as the task is cancelled.
    func enter(maxWait: Double, isLong: Bool = false) async -> Entry {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        return await withTaskCancellationHandler {
            await enter(number, maxWait, isLong)
        } onCancel: {
            giveUp(number, retryAfter: 1)
        }
    }

    private func enter(_ number: Int, _ maxWait: Double, _ isLong: Bool) async -> Entry {
        await withCheckedContinuation { continuation in
            let now = now()
            let entry = state.withLock { state -> Entry? in
                if state.inside < width {
                    state.inside += 1
                    if isLong { state.long += 1 } else { state.estimate.began(now) }
                    return .inside(Place(began: now, isLong: isLong))
                }
                if let seconds = refusal(&state, maxWait, now) { return .refused(retryAfter: seconds) }
                state.waiting.append(Waiter(number: number, isLong: isLong, continuation: continuation))
                return nil
            }
            if let entry { return continuation.resume(returning: entry) }
            // Cancelled before it waited, when there was nothing to give up.
            if Task.isCancelled { return giveUp(number, retryAfter: 1) }
            let seconds = WaitEstimate.retryAfter(maxWait)
            DispatchQueue.global().asyncAfter(deadline: .now() + maxWait) { [weak self] in
                self?.giveUp(number, retryAfter: seconds)
            }
        }
    }

    /// `isUsed`: the caller did what its place was for; else its stay says nothing of others'.
    func leave(_ place: Place, isUsed: Bool = true) {
        let now = now()
        let next = state.withLock { state -> Waiter? in
            if place.isLong {
                state.long -= 1
            } else if !isUsed {
                state.estimate.began(now)
            } else {
                state.estimate.ended(after: max(now.seconds(since: place.began), 0), now)
            }
            guard !state.waiting.isEmpty else {
                state.inside -= 1
                return nil
            }
            let next = state.waiting.removeFirst()
            if next.isLong { state.long += 1 } else { state.estimate.began(now) }
            return next
        }
        if let next { next.continuation.resume(returning: .inside(Place(began: now, isLong: next.isLong))) }
    }

    private func refusal(_ state: inout State, _ maxWait: Double, _ now: MonotonicTime) -> Int? {
        let (ahead, width) = (state.waiting.count, max(width - state.long, 1))
        if let seconds = state.estimate.refusal(behind: ahead, width: width, within: maxWait, now) { return seconds }
        guard ahead >= depth else { return nil }
        return WaitEstimate.retryAfter(state.estimate.wait(behind: ahead, width: width, now))
    }

    private func giveUp(_ number: Int, retryAfter seconds: Int) {
        let late = state.withLock { state -> Waiter? in
            guard let index = state.waiting.firstIndex(where: { $0.number == number }) else { return nil }
            return state.waiting.remove(at: index)
        }
        late?.continuation.resume(returning: .refused(retryAfter: seconds))
    }
}
