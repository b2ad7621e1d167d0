import Runtime
import Synchronization

/// Lets `width` callers in at a time; up to `depth` others wait, without a thread, and not for ever. Who can be expected to wait too
/// long is refused at once.
///
/// Clients (`WorkClient`) take turns, and each has its own callers in the order in which they came. A client gets no more room to
/// wait than it leaves to others, so that a crowd of one waits behind itself.
///
/// Thread rule: any thread.
final class ConcurrencyLimit: Sendable {
    /// A caller that is inside, and must `leave`.
    struct Place: Sendable {
        fileprivate let began: MonotonicTime
        fileprivate let isLong: Bool
        fileprivate let client: [UInt8]?
    }

    enum Entry: Sendable {
        case inside(Place)
        /// It may ask again after these seconds.
        case refused(retryAfter: Int)
    }

    private struct Waiter {
        let id: Waiters<Entry>.ID
        let isLong: Bool
        let client: [UInt8]?
    }

    private struct State {
        var inside = 0
        /// Of those inside, the ones whose stay says nothing of others'.
        var long = 0
        var waiting: [Waiter] = []
        /// Of those inside.
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

    /// How many wait.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Nil where a caller that comes now could enter, or wait; else seconds after which it may ask again.
    func refusal(maxWait: Double) -> Int? {
        let now = now()
        let client = WorkClient.current
        return state.withLock { $0.inside < width ? nil : refusal(&$0, client, maxWait, now) }
    }

    /// `isLong`: the caller stays for long, unlike others; their estimate is made without it.
    ///
    /// Refused where too many wait already, where its turn can be expected to come more than `maxWait` seconds later, or does,
    /// and as soon as the task is cancelled.
    func enter(maxWait: Double, isLong: Bool = false) async -> Entry {
        let (now, client) = (now(), WorkClient.current)
        let entry = state.withLock { state -> Waiters<Entry>.Entry in
            if state.inside < width {
                state.inside += 1
                if isLong { state.long += 1 } else { state.estimate.began(now) }
                state.turns.enter(client)
                return .answer(.inside(Place(began: now, isLong: isLong, client: client)))
            }
            if let seconds = refusal(&state, client, maxWait, now) { return .answer(.refused(retryAfter: seconds)) }
            let id = waiters.begin()
            state.waiting.append(Waiter(id: id, isLong: isLong, client: client))
            return .waits(id)
        }
        return await waiters.wait(entry, until: .now().adding(seconds: maxWait)) { id, reason in
            guard self.withdraw(id) else { return nil }
            return .refused(retryAfter: reason == .late ? WaitEstimate.retryAfter(maxWait) : 1)
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

    /// Whoever comes now waits for no more than waits already, and for no more than its client's turns, whatever others ask for.
    private func refusal(_ state: inout State, _ client: [UInt8]?, _ maxWait: Double, _ now: MonotonicTime) -> Int? {
        let (all, width) = (state.waiting.count, max(width - state.long, 1))
        let own = state.waiting.count { $0.client == client }
        let clients = Set(state.waiting.lazy.map(\.client)).count + (own == 0 ? 1 : 0)
        let ahead = min(all, (own + 1) * clients - 1)
        if let seconds = state.estimate.refusal(behind: ahead, width: width, within: maxWait, now) { return seconds }
        guard all >= depth || (client != nil && own > depth - all) else { return nil }
        return WaitEstimate.retryAfter(state.estimate.wait(behind: ahead, width: width, now))
    }

    /// Whether the caller was still waiting.
    private func withdraw(_ id: Waiters<Entry>.ID) -> Bool {
        state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0.id == id }) else { return false }
            state.waiting.remove(at: index)
            return true
        }
    }
}
