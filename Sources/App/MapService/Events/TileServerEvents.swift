/// The events of a server, as they happen and in their order, until it stops.
///
/// Nothing is kept for who asks: whoever takes longer than the server keeps events gets `reset` in place of those that are gone.
/// Each iteration begins anew where the sequence began. Thread rule: any thread; an iterator by one task at a time.
public struct TileServerEvents: AsyncSequence, Sendable {
    private let history: EventHistory
    /// Nil: that is not known here.
    private let start: Int?

    /// Those behind the event `id`; behind the present where that is nil.
    package init(_ history: EventHistory, after id: String?) {
        self.history = history
        start = if let id { history.number(of: id) } else { history.last }
    }

    /// Iterates from the start of the sequence. Events that have happened since then come at once.
    public func makeAsyncIterator() -> Iterator { Iterator(history: history, position: start) }

    /// A position among the events. Thread rule: one task at a time.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let history: EventHistory
        fileprivate var position: Int?

        /// The next event; nil once the server has stopped, or the task is cancelled.
        public mutating func next() async -> TileServerEvent? {
            while let position {
                guard let events = history.events(after: position, count: 1) else { break }
                if let event = events.first {
                    self.position = position + 1
                    return event
                }
                guard await history.wait(after: position) else { return nil }
            }
            let last = history.last
            position = last
            return history.reset(at: last)
        }
    }
}
