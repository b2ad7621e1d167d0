/// An asynchronous sequence of a server's events, which ends when the server stops. Every iteration begins at the same
/// event, or with `reset` if this process does not know the given id. The server keeps the latest events once for all
/// readers. If a reader is so slow that the server has already dropped its next event, the reader gets the event
/// `reset` instead.
///
/// Thread rule: any thread; an iterator belongs to one task at a time.
public struct TileServerEvents: AsyncSequence, Sendable {
    private let history: EventHistory
    /// The number of the event before the first one. Nil if this process does not know the event.
    private let start: Int?

    /// Makes the sequence of all events after the event `id`. Nil: all future events.
    package init(_ history: EventHistory, after id: String?) {
        self.history = history
        start = if let id { history.number(of: id) } else { history.last }
    }

    /// Returns an iterator that begins at the start of the sequence. Events that have already happened since then are
    /// returned without a wait.
    public func makeAsyncIterator() -> Iterator { Iterator(history: history, position: start) }

    /// Reads the events one after the other, and remembers its position. Thread rule: one task at a time.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let history: EventHistory
        fileprivate var position: Int?

        /// Waits for the next event and returns the event. Returns nil if no event comes before the server is stopped
        /// or the task is cancelled.
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
