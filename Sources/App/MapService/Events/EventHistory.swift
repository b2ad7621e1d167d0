import Runtime
import Synchronization

/// The latest events of this process, numbered from 1, and the waits for the next.
///
/// At most 1,024 are kept, each of a few hundred bytes since an id has 64 at most. A class to own them and the waits. Thread
/// rule: any thread.
package final class EventHistory: Sendable {
    /// The events that are kept.
    package static let most = 1_024
    /// Layers that a change of the configuration may touch before it is one event, `reset`.
    static let mostChanges = 64

    private struct State {
        /// A ring: the event `n` stands at `(n - 1) % most`.
        var kinds: [TileServerEvent.Kind] = []
        /// The number of the latest; 0 before there is one.
        var last = 0
        var waiting: Set<Waiters<Void>.ID> = []
        var isClosed = false

        /// The number of the oldest that is kept.
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

    /// Tells the numbers of this process from those of others.
    private let process: String
    private let state = Mutex(State())
    private let waiters = Waiters<Void>()

    package init() {
        process = String(UInt64.random(in: .min ... .max), radix: 36)
    }

    /// The number of the latest event.
    package var last: Int { state.withLock { $0.last } }

    // MARK: Ids

    /// How the event `number` is called.
    package func id(_ number: Int) -> String { "\(process)-\(number)" }

    /// The number of the event that is called `id`; nil where this process has had none.
    package func number(of id: String) -> Int? {
        let parts = id.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == process, let number = Int(parts[1]), self.id(number) == id,
            (0...last).contains(number)
        else { return nil }
        return number
    }

    // MARK: Events

    /// At most `count` of the events behind the event `number`; nil where some of these are not kept any more.
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

    /// `reset`, in place of all events up to the event `number`.
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

    /// Returns when there is an event behind the event `number`; false where none will come, or the task was cancelled.
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

    /// There will be no more events.
    func close() { end { $0.isClosed = true } }

    /// Changes the state and ends all waits.
    private func end(_ change: (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            defer { state.waiting = [] }
            return state.waiting
        }
        for id in waiting { waiters.end(id, with: ()) }
    }
}
