import HTTPServer
import MapService
import Synchronization

/// Sends events to the clients of `GET /events`. A client that connects again first gets the events that it has missed,
/// a few at a time. Afterwards the client gets each new event.
///
/// Thread rule: any thread. The lock is held during calls of `EventHistory` and of the streams, which have their own
/// locks.
final class EventListeners: Sendable {
    private struct Listener {
        let stream: ResponseStream
        /// The number of the last event that was sent to the client. Nil once the client has caught up with
        /// `State.position`.
        var position: Int?
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        var lastKey = 0
        /// The number of the last event that was passed on.
        var position: Int
    }

    /// Maximum number of missed events that are sent to a client at a time. Together they use less than half of the
    /// stream's buffer.
    private static let batch = 24

    private let history: EventHistory
    private let state: Mutex<State>

    init(_ history: EventHistory) {
        self.history = history
        state = Mutex(State(position: history.last))
    }

    /// Number of listening clients.
    var count: Int { state.withLock { $0.listeners.count } }

    // MARK: Listening

    /// Returns a stream with all future events. The stream of a HEAD request has no events. If `request` names the last
    /// event that the client got, the stream begins with the events after that one, or with `reset` if the server does
    /// not know them.
    func listen(_ request: Request) -> ResponseStream {
        let last = request.field("last-event-id").map { String(decoding: $0, as: UTF8.self) }
        let key = state.withLock { state in
            state.lastKey += 1
            return state.lastKey
        }
        let stream = ResponseStream(Self.head, heartbeat: ServerSentEvent.heartbeat) { [weak self] in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: key) }
        }
        guard request.method == .get else { return stream }
        state.withLock { state in
            let known = last.map { history.number(of: $0) } ?? state.position
            // A program that uses the server directly may know newer events than this object.
            let position = min(known ?? state.position, state.position)
            stream.send(StreamPiece(ServerSentEvent.position(history.id(position))))
            if known == nil { stream.send(StreamPiece(ServerSentEvent.text(history.reset(at: position)))) }
            state.listeners[key] = Listener(stream: stream, position: position)
        }
        catchUp(key)
        return stream
    }

    /// Sends the next missed events to the listener with the key `key`. Continues when the client has taken them. A
    /// listener that has got all missed events then gets new events from `pass`.
    private func catchUp(_ key: Int) {
        state.withLock { state in
            guard let listener = state.listeners[key], let position = listener.position else { return }
            let count = min(state.position - position, Self.batch)
            let kept = history.events(after: position, count: count)
            let events = kept ?? [history.reset(at: state.position)]
            let next = kept.map { position + $0.count } ?? state.position
            listener.stream.send(StreamPiece(events.map(ServerSentEvent.text).joined()))
            let isBehind = next < state.position
            state.listeners[key]?.position = isBehind ? next : nil
            if isBehind { listener.stream.whenTaken { [weak self] in self?.catchUp(key) } }
        }
    }

    // MARK: Passing on

    /// Passes events on until the history ends. Before each event, every reactor of `server` completes a turn. A client
    /// that sends a request because of the event is then served with the new configuration.
    func passOn(by server: HTTPServer) -> Task<Void, Never> {
        let events = TileServerEvents(history, after: history.id(state.withLock { $0.position }))
        return Task { [weak server] in
            for await event in events {
                await server?.settle()
                pass(on: event)
            }
        }
    }

    private func pass(on event: TileServerEvent) {
        let piece = StreamPiece(ServerSentEvent.text(event))
        state.withLock { state in
            state.position = history.number(of: event.id) ?? state.position
            for (key, listener) in state.listeners where listener.position == nil {
                // The server ends the stream of a client that does not read. The client can connect again and get the
                // events that it has missed.
                if !listener.stream.send(piece) { state.listeners[key] = nil }
            }
        }
    }

    // MARK: Answers

    private static let head = Response(
        .ok, fields: FieldLines.make([("Content-Type", "text/event-stream"), ("X-Accel-Buffering", "no")]),
        common: CommonFields.open, caching: Caching(.noStore)
    ).tagged(.events)

    /// The response if too many clients listen already.
    static let tooMany = Problem(
        .serviceUnavailable, "too-many-listeners", "Too many event listeners. The limit is server.limits.listeners.",
        fields: [("Retry-After", "60")]
    ).response()
}
