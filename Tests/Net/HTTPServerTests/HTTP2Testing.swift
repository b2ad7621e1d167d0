import Bytes
import Glibc
import HTTPLimits
import Runtime
import TestSupport
import Testing

@testable import HTTPServer

/// Runs `body` with a server whose port without TLS speaks HTTP/2, and stops the server afterwards.
func withHTTP2Server(
    reactors: Int = 1, memory: Int = .max, _ change: (inout ServerLimits) -> Void = { _ in },
    _ body: (RunningServer) async throws -> Void
) async throws {
    let ports = HTTPServer.Ports(plain: ("127.0.0.1", 0), speaksHTTP2: true)
    try await withServer(reactors: reactors, memory: memory, ports: ports, change, body)
}

extension RunningServer {
    /// Connects a client that speaks HTTP/2 without TLS.
    func http2(_ settings: [HTTP2Setting] = [], receiveBuffer: Int32? = nil) throws -> HTTP2Client {
        try HTTP2Client(PlainLink(port: port, receiveBuffer: receiveBuffer), settings)
    }

    /// Bytes of responses that clients have not read.
    var heldBytes: Int { onReactor { $0.held.bytes } ?? -1 }

    /// Waits until no connection is open, the work of `openWork` has ended, and `memory` bytes of the budget are used.
    func expectRelease(to memory: Int, sourceLocation: SourceLocation = #_sourceLocation) {
        let isReleased = eventuallyBlocking {
            server.connectionCount == 0 && streams.ended.value == 1 && server.streamCount == 0
                && responder.cancellations.value == 1 && heldBytes == 0 && budget.used == memory
        }
        if !isReleased {
            Issue.record(
                """
                connections \(server.connectionCount), streams ended \(streams.ended.value), \
                cancelled \(responder.cancellations.value), held \(heldBytes), \
                memory \(budget.used - memory)
                """, sourceLocation: sourceLocation)
        }
    }

    /// Begins a streamed response, a task that ends when it is cancelled, a response that the client does not take and
    /// a request whose content is not complete.
    func openWork(_ client: HTTP2Client) throws -> OpenWork {
        client.givesWindow = false
        try client.settle()
        let stream = try client.request("GET", "/stream")
        let left = try client.request("GET", "/left")
        let untaken = try client.request("GET", "/big/300000")
        let content = try client.request("POST", "/content", ends: false)
        try client.send(.data([UInt8](repeating: 7, count: 100), on: content))
        try client.wait { client.answer(stream).body.count > 0 && client.answer(untaken).body.count > 0 }
        try client.settle()
        #expect(eventuallyBlocking { responder.tasks.value == 1 })
        #expect(heldBytes > 0 && server.streamCount == 1)
        return OpenWork(stream: stream, left: left, untaken: untaken, content: content)
    }
}

/// Streams of a client that the server works for.
struct OpenWork {
    let stream: UInt32
    let left: UInt32
    let untaken: UInt32
    let content: UInt32

    var next: UInt32 { content + 2 }
}

/// Answers each request with its method, target, host and the fields `cookie` and `x`, a line for each.
struct FieldsResponder: Responder {
    func reply(to request: Request) -> Reply {
        var lines = ["\(request.method)", String(decoding: request.path, as: UTF8.self)]
        lines.append(request.query.map { String(decoding: $0, as: UTF8.self) } ?? "no query")
        lines.append(request.host.map { String(decoding: $0, as: UTF8.self) } ?? "no host")
        for name in ["cookie", "x"] as [StaticString] {
            request.forEachField(name) { lines.append("\(name): " + String(decoding: $0, as: UTF8.self)) }
        }
        return .ready(Response(.ok, body: SharedBytes(lines.joined(separator: "\n"))))
    }

    func refusal(_ rejection: RequestError) -> Response { Response(rejection.status, closes: true) }
}
