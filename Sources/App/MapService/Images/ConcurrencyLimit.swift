import Runtime
import Synchronization

/// Limits how many callers work at the same time. At most `width` callers are inside, and at most `depth` other callers
/// wait. A waiting caller uses no thread. A caller whose expected wait is too long is refused at once.
///
/// Clients (`WorkClient`) take turns, and the callers of one client enter in their order of arrival. A client with many
/// callers therefore delays mostly itself. A known client may use about half of the waiting positions that the other
/// clients leave free, so that new clients find room.
///
/// Thread rule: any thread.
final class ConcurrencyLimit: Sendable {
    /// The place of a caller that is inside. The caller must give the place to `leave`.
    struct Place: Sendable {
        fileprivate let began: MonotonicTime
        fileprivate let isLong: Bool
        fileprivate let client: [UInt8]?
    }

    enum Entry: Sendable {
        case inside(Place)
        /// The caller may try again after these seconds.
        case refused(retryAfter: Int)
    }

    private struct Waiter {
        let id: Waiters<Entry>.ID
        let isLong: Bool
        let client: [UInt8]?
    }

    private struct State {
        var inside = 0
        /// Number of long callers inside. The time that they stay does not predict the time of other callers.
        var long = 0
        var waiting: [Waiter] = []
        /// Estimates the wait from the callers inside.
        var estimate = WaitEstimate()
        var turns = ClientTurns()
    }

    private let width: Int
    private let depth: Int
    private let now: @Sendable () -> MonotonicTime
    private let state = Mutex(State())
    private let waiters = Waiters<Entry>()

    init(width: Int, depth: Int, now: @escaping @Sendable () -> MonotonicTime = MonotonicTime.now) {
        self.width = width
        self.depth = depth
        self.now = now
    }

    /// Number of waiting callers.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Reports whether a caller that arrives now would be refused. Returns the seconds after which the caller may try
    /// again, or nil if the caller may enter or wait.
    func refusal(maxWait: Double) -> Int? {
        let now = now()
        let client = WorkClient.current
        return state.withLock { $0.inside < width ? nil : refusal(&$0, client, maxWait: maxWait, now: now) }
    }

    /// Waits until the caller may enter. A caller with `isLong` stays much longer than other callers, so its time is
    /// not used to estimate the wait of others.
    ///
    /// The caller is refused at once if too many callers wait, or if the expected wait is more than
    /// `WaitEstimate.margin` of `maxWait` seconds. A waiting caller is refused after `maxWait` seconds, or if its task
    /// is cancelled.
    func enter(maxWait: Double, isLong: Bool = false) async -> Entry {
        let (now, client) = (now(), WorkClient.current)
        let entry = state.withLock { state -> Waiters<Entry>.Entry in
            if state.inside < width {
                state.inside += 1
                if isLong { state.long += 1 } else { state.estimate.began(now) }
                state.turns.enter(client)
                return .answer(.inside(Place(began: now, isLong: isLong, client: client)))
            }
            if let seconds = refusal(&state, client, maxWait: maxWait, now: now) {
                return .answer(.refused(retryAfter: seconds))
            }
            let id = waiters.begin()
            state.waiting.append(Waiter(id: id, isLong: isLong, client: client))
            return .waits(id)
        }
        return await waiters.wait(entry, until: .now().adding(seconds: maxWait)) { id, reason in
            guard self.withdraw(id) else { return nil }
            return .refused(retryAfter: reason == .late ? WaitEstimate.retryAfter(maxWait) : 1)
        }
    }

    /// Ends the stay of a caller, and lets the next caller in. `isUsed` is false if the caller did not do what its
    /// place was for. Its time is then not used to estimate the wait of others.
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
            guard let index = state.turns.next(among: state.waiting.lazy.map(\.client)) else {
                state.inside -= 1
                state.turns.leave(place.client)
                return nil
            }
            let next = state.waiting.remove(at: index)
            state.turns.enter(next.client)
            state.turns.leave(place.client)
            if next.isLong { state.long += 1 } else { state.estimate.began(now) }
            return next
        }
        guard let next else { return }
        let place = Place(began: now, isLong: next.isLong, client: next.client)
        waiters.end(next.id, with: .inside(place))
    }

    /// Returns the seconds after which a refused caller may try again, or nil if the caller may wait. Because clients
    /// take turns, the caller waits only for those of the waiting callers whose turn comes before its own.
    private func refusal(_ state: inout State, _ client: [UInt8]?, maxWait: Double, now: MonotonicTime) -> Int? {
        let (all, width) = (state.waiting.count, max(width - state.long, 1))
        let own = state.waiting.count { $0.client == client }
        let clients = Set(state.waiting.lazy.map(\.client)).count + (own == 0 ? 1 : 0)
        let ahead = min(all, (own + 1) * clients - 1)
        if let seconds = state.estimate.refusal(behind: ahead, width: width, within: maxWait, now) { return seconds }
        guard all >= depth || (client != nil && own > depth - all) else { return nil }
        return WaitEstimate.retryAfter(state.estimate.wait(behind: ahead, width: width, now))
    }

    /// Removes a waiting caller. Returns false if the caller does not wait any more.
    private func withdraw(_ id: Waiters<Entry>.ID) -> Bool {
        state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0.id == id }) else { return false }
            state.waiting.remove(at: index)
            return true
        }
    }
}
