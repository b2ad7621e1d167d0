import Bytes
import Synchronization
import TestSupport

@testable import HTTPServer

/// The streams that clients of a test requested.
final class Streams: Sendable {
    /// Number of streams that have ended.
    let ended = Counter()
    private let all = Mutex<[ResponseStream]>([])
    private let limit = Mutex(ResponseStream.standardLimit)

    var count: Int { all.withLock { $0.count } }

    subscript(number: Int) -> ResponseStream { all.withLock { $0[number] } }

    /// Sets the limit of untaken bytes for later streams.
    func allow(_ bytes: Int) { limit.withLock { $0 = bytes } }

    /// Makes a stream with a first piece that is sent at once.
    func make() -> ResponseStream {
        let stream = ResponseStream(
            Response(.ok, fields: FieldLines.make([("Content-Type", "text/plain")])), heartbeat: StreamPiece(":\n"),
            limit: limit.withLock { $0 }
        ) { [ended] in ended.increment() }
        stream.send(StreamPiece("first;"))
        all.withLock { $0.append(stream) }
        return stream
    }
}

extension RunningServer {
    var streams: Streams { responder.streams }

    /// Connects a client that requests a stream. Returns after the client has read the first piece. `head` is the text
    /// up to the end of this piece.
    func listener(
        _ fields: [String] = [], receiveBuffer: Int32? = nil
    ) throws -> (client: RawClient, stream: ResponseStream, head: String) {
        let client = try client(receiveBuffer: receiveBuffer)
        let number = streams.count
        try client.send(RawClient.request("GET", "/stream", fields))
        let head = try client.read(until: "first;")
        return (client, streams[number], head)
    }
}
