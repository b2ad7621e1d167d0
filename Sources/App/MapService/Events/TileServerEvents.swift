/// The events of a server in their order, until the server stops.
///
/// The server keeps no queue for each reader. A slow reader gets `reset` instead of events that the server has already
/// dropped. Each iteration starts at the same event. Thread rule: any thread; an iterator belongs to one task at a
/// time.
public struct TileServerEvents: AsyncSequence, Sendable {
    private let history: EventHistory
    /// The number of the event before the first one. Nil if this process does not know the event.
    private let start: Int?

    /// Makes the sequence of all events after the event `id`. Nil: all future events.
    package init(_ history: EventHistory, after id: String?) {
        self.history = history
        start = if let id { history.number(of: id) } else { history.last }
    }

    /// Returns an iterator from the start of the sequence. Past events after the start arrive at once.
    public func makeAsyncIterator() -> Iterator { Iterator(history: history, position: start) }

    /// A position among the events. Thread rule: one task at a time.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let history: EventHistory
        fileprivate var position: Int?

        /// Returns the next event. Nil if the server is stopped or the task is cancelled.
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
