import HTTPServer
import MapService
import Synchronization

/// The clients that listen to `/events`. Each gets what has happened since it left, a few events at a time as it takes them, and
/// from then on what happens.
///
/// A class to own their streams. Thread rule: any thread. Under its lock `EventHistory` and the streams are called, which have
/// locks of their own.
final class EventListeners: Sendable {
    private struct Listener {
        let stream: ResponseStream
        /// The number of the last event that it got; nil where that is `State.position`.
        var position: Int?
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        var lastKey = 0
        /// The number of the last event that was passed on.
        var position: Int
    }

    /// Events sent at a time to a client that has missed some: together less than half of what it may leave untaken.
    private static let batch = 24

    private let history: EventHistory
    private let state: Mutex<State>

    init(_ history: EventHistory) {
        self.history = history
        state = Mutex(State(position: history.last))
    }

    /// Those who listen.
    var count: Int { state.withLock { $0.listeners.count } }

    // MARK: Listening

    /// A stream of what happens from now on; before that, what has happened since the event that `request` names.
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
            // A program that has asked the server itself may be ahead of this.
            let position = min(known ?? state.position, state.position)
            stream.send(StreamPiece(ServerSentEvent.position(history.id(position))))
            if known == nil { stream.send(StreamPiece(ServerSentEvent.text(history.reset(at: position)))) }
            state.listeners[key] = Listener(stream: stream, position: position)
        }
        catchUp(key)
        return stream
    }

    /// Sends the listener `key` the next events of those that it missed. Once it has all of them, it gets others as they come.
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

    /// Passes events on until there are no more. Before each of them every reactor of `server` has a turn, so that whoever asks
    /// again because of it is answered by the configuration that it is about.
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
                // The server ends the stream of one that takes nothing; it comes back for what it missed.
                if !listener.stream.send(piece) { state.listeners[key] = nil }
            }
        }
    }

    // MARK: Answers

    private static let head = Response(
        .ok, fields: FieldLines.make([("Content-Type", "text/event-stream"), ("X-Accel-Buffering", "no")]),
        common: CommonFields.open, caching: Caching(.noStore)
    ).tagged(.events)

    /// The answer where no more may listen.
    static let tooMany = Problem(
        .serviceUnavailable, "too-many-listeners", "Too many event listeners. The limit is server.limits.listeners.",
        fields: [("Retry-After", "60")]
    ).response()
}
