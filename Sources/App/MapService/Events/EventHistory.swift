import Runtime
import Synchronization

/// Stores the latest 1,024 events, and wakes the tasks that wait for the next event. Events are numbered from 1. An
/// event has a few hundred bytes, because an id has at most 64 characters. Thread rule: any thread.
package final class EventHistory: Sendable {
    /// Maximum number of events in the history.
    package static let most = 1_024
    /// A change of the configuration with more changed layers than this becomes one event, `reset`.
    static let mostChanges = 64

    private struct State {
        /// A ring buffer: the event `n` stands at `(n - 1) % most`.
        var kinds: [TileServerEvent.Kind] = []
        /// The number of the latest event. 0 if there are no events.
        var last = 0
        var waiting: Set<Waiters<Void>.ID> = []
        var isClosed = false

        /// The number of the oldest event in the ring buffer.
        var first: Int { last - kinds.count + 1 }

        mutating func add(_ kind: TileServerEvent.Kind) {
            last += 1
            if kinds.count < EventHistory.most {
                kinds.append(kind)
            } else {
                kinds[(last - 1) % EventHistory.most] = kind
            }
        }

        func kind(_ number: Int) -> TileServerEvent.Kind { kinds[(number - 1) % EventHistory.most] }
    }

    /// A random prefix of event ids. It distinguishes the ids of this process from the ids of other processes.
    private let process: String
    private let state = Mutex(State())
    private let waiters = Waiters<Void>()

    package init() {
        process = String(UInt64.random(in: .min ... .max), radix: 36)
    }

    /// The number of the latest event.
    package var last: Int { state.withLock { $0.last } }

    // MARK: Ids

    /// Returns the id of the event `number`.
    package func id(_ number: Int) -> String { "\(process)-\(number)" }

    /// Returns the number of the event with the id `id`. The number 0 stands for the time before the first event. Nil
    /// if this process has no such event.
    package func number(of id: String) -> Int? {
        let parts = id.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == process, let number = Int(parts[1]), self.id(number) == id,
            (0...last).contains(number)
        else { return nil }
        return number
    }

    // MARK: Events

    /// Returns at most `count` events after the event `number`. Nil if the history has already dropped some of these
    /// events.
    package func events(after number: Int, count: Int) -> [TileServerEvent]? {
        let kinds: [TileServerEvent.Kind]? = state.withLock { state in
            guard number + 1 >= state.first else { return nil }
            let count = min(count, state.last - number)
            return count > 0 ? (number + 1...number + count).map(state.kind) : []
        }
        return kinds.map { kinds in
            kinds.enumerated().map { TileServerEvent(id: id(number + 1 + $0.offset), kind: $0.element) }
        }
    }

    /// Returns a `reset` event that replaces all events up to the event `number`.
    package func reset(at number: Int) -> TileServerEvent { TileServerEvent(id: id(number), kind: .reset) }

    func add(_ change: ServiceChange) {
        switch change {
        case .cleared(let area): add([.cleared(area)])
        case .served(_, let changes):
            add(changes.count > Self.mostChanges ? [.reset] : changes.map(TileServerEvent.Kind.changed))
        }
    }

    private func add(_ kinds: [TileServerEvent.Kind]) {
        guard !kinds.isEmpty else { return }
        end { state in
            for kind in kinds { state.add(kind) }
        }
    }

    // MARK: Waiting

    /// Waits for an event after the event `number`. Returns false if no event comes before the history is closed or the
    /// task is cancelled.
    package func wait(after number: Int) async -> Bool {
        let entry = state.withLock { state -> Waiters<Void>.Entry in
            guard state.last <= number, !state.isClosed else { return .answer(()) }
            let id = waiters.begin()
            state.waiting.insert(id)
            return .waits(id)
        }
        await waiters.wait(entry) { id, _ in self.state.withLock { $0.waiting.remove(id).map { _ in } } }
        return !Task.isCancelled && last > number
    }

    /// Ends all waits. Later calls of `wait` return at once.
    func close() { end { $0.isClosed = true } }

    /// Changes the state and resumes all waiting tasks.
    private func end(_ change: (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            defer { state.waiting = [] }
            return state.waiting
        }
        for id in waiting { waiters.end(id, with: ()) }
    }
}
