import Bytes
import Dispatch
import EventLog
import Foundation
import Logging
import TestSupport
import Reactor
import Synchronization
import Testing

@testable import HTTPServer

/// Counts from any thread. A class, so that closures can share it.
final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .relaxed) }

    func increment() { count.add(1, ordering: .relaxed) }
}

/// Answers by path: `/content` with the request's own, `/big/N` has N bytes, `/slow…` comes a moment later, `/gate…` when the
/// gate opens, `/left` when the client has left, `/called…` and `/thread…` by a callback, `/wait` by one
/// that `/others` calls, `/hold` keeps the reactor until `release`, `/work…` for two milliseconds, `/204` and `/304` have no content;
/// every other path is its own content. `/nowhere…` takes none, and a full server answers `/health` alone.
final class EchoResponder: Responder {
    let gate = Gate()
    /// Those of `/stream`.
    let streams = Streams()
    /// Answers to `/left` that were given up.
    let cancellations = Counter()
    /// Requests that were refused for want of memory.
    let shortages = Counter()
    private let replies = Counter()
    private let held = DispatchSemaphore(value: 0)
    private let seen = Mutex<[String]>([])
    private let waiting = Mutex<[@Sendable () -> Void]>([])

    /// The paths in the order in which they were asked for.
    var paths: [String] { seen.withLock { $0 } }

    /// Lets one `/hold` go.
    func release() { held.signal() }

    /// Requests seen so far.
    var replyCount: Int { replies.value }

    func reply(to request: Request) -> Reply {
        replies.increment()
        let path = String(decoding: request.path, as: UTF8.self)
        seen.withLock { $0.append(path) }
        if path == "/hold" { held.wait() }
        if path.hasPrefix("/work") {
            let end = MonotonicTime.now().adding(seconds: 0.002)
            while MonotonicTime.now() < end {}
        }
        let query = request.query.map { "?" + String(decoding: $0, as: UTF8.self) } ?? ""
        if path == "/content" {
            let content = String(decoding: request.content, as: UTF8.self)
            return .ready(Response(.ok, body: SharedBytes("\(request.method) \(content)")))
        }
        let response = Response(.ok, body: SharedBytes(path + query))
        if path == "/204" { return .ready(Response(.noContent, body: SharedBytes("must not be sent"))) }
        if path == "/304" { return .ready(Response(.notModified, body: SharedBytes("must not be sent"))) }
        if path == "/stream" { return .stream(streams.make()) }
        if path == "/closes" { return .ready(Response(.ok, closes: true)) }
        if path.hasPrefix("/big/"), let size = Int(path.dropFirst(5)) {
            return .ready(Response(.ok, body: SharedBytes([UInt8](repeating: 65, count: size))))
        }
        if path.hasPrefix("/slow") {
            return .pending {
                // A cancelled sleep only makes the answer come sooner.
                try? await Task.sleep(for: .milliseconds(10))
                return response
            }
        }
        if path.hasPrefix("/called") { return .callback { $0(response) } }
        if path.hasPrefix("/thread") {
            return .callback { receive in DispatchQueue.global().async { receive(response) } }
        }
        // Answered by the next `/others`, from inside of that one's turn.
        if path == "/wait" {
            return .callback { receive in self.waiting.withLock { $0.append { receive(response) } } }
        }
        if path == "/others" {
            let all = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            for answer in all { answer() }
        }
        if path == "/left" {
            return .pending { [cancellations] in
                // Until it is cancelled.
                do { try await Task.sleep(for: .seconds(600)) } catch { cancellations.increment() }
                return response
            }
        }
        if path.hasPrefix("/gate") {
            return .pending { [gate] in
                await gate.pass()
                return response
            }
        }
        return .ready(response)
    }

    func refusalBeforeContent(of request: Request) -> Response? {
        request.path.starts(with: "/nowhere".utf8) ? Response(.notFound, body: SharedBytes("nowhere")) : nil
    }

    func servesWhenFull(_ request: Request) -> Bool { request.path.equals("/health") }

    func refusal(_ rejection: RequestError) -> Response {
        if rejection.why == "memory" { shortages.increment() }
        let fields = rejection.status == .serviceUnavailable ? [("Retry-After", "1")] : []
        return Response(
            rejection.status, fields: FieldLines.make(fields), body: SharedBytes("\(rejection.event) \(rejection.why)"),
            closes: true)
    }
}

/// A server on a free port with what it heard and logged.
struct RunningServer: Sendable {
    let server: HTTPServer
    let responder: EchoResponder
    let lines: LogLines
    let budget: MemoryBudget

    var port: Int { server.port }

    /// A client, as 127.0.0.`host`.
    func client(timeout: Double = 30, receiveBuffer: Int32? = nil, host: UInt8 = 1) throws -> RawClient {
        try RawClient(port: port, timeout: timeout, receiveBuffer: receiveBuffer, host: host)
    }

    /// A client whose request holds the reactor until `responder.release()`.
    func holdingClient() throws -> RawClient {
        let client = try client()
        let before = responder.replyCount
        try client.send(RawClient.request("GET", "/hold"))
        guard eventually({ responder.replyCount > before }) else { throw RawClient.Failure.timeout }
        return client
    }

    /// Sends `text` on a connection of its own; what the server answered until it ended the connection, and how it did.
    func exchange(_ text: String) throws -> (responses: [RawResponse], end: RawClient.End) {
        let client = try client()
        try client.send(latin1(text))
        let (bytes, end) = try client.readToEnd()
        return (try RawResponse.parseAll(bytes), end)
    }
}

extension RunningServer {
    /// What `work` returns, which runs on the first reactor.
    func onReactor<Value: Sendable>(_ work: @escaping @Sendable (Worker) -> Value) -> Value? {
        let (done, result) = (DispatchSemaphore(value: 0), SharedValue<Value>())
        let worker = server.workers[0]
        worker.reactor.post {
            result.value.withLock { $0 = work(worker) }
            done.signal()
        }
        done.wait()
        return result.value.withLock { $0 }
    }

    /// Holds the first reactor: calls `before` for each connection, then `send`, waits until every connection has bytes to read,
    /// and calls `after` for each.
    func hold(
        _ before: @escaping @Sendable (Connection) -> Void = { _ in }, while send: () throws -> Void,
        then after: @escaping @Sendable (Connection) -> Void
    ) rethrows {
        let (held, sent) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let worker = server.workers[0]
        worker.reactor.post {
            let connections = Array(worker.connections.values)
            for connection in connections { before(connection) }
            held.signal()
            sent.wait()
            for connection in connections {
                _ = eventually { Socket.hasBytes(connection.descriptor) }
                after(connection)
            }
        }
        held.wait()
        defer { sent.signal() }
        try send()
    }

    /// Begins to stop the server; returns when it accepts no more and every connection knows.
    func beginStop() async {
        server.beginStop()
        // Once for the listener, which tells the connections, and once for them.
        for _ in 0..<2 { await server.settle() }
    }
}

/// A value that another thread sets.
private final class SharedValue<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}

/// The lines of a log.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func events(_ name: String) -> [String] {
        all.filter { $0.contains("\"ev\":\"\(name)\"") }
    }

    var log: EventLog {
        EventLog(
            logger: Logger(label: "test") { [self] _ in
                var handler = JSONLogHandler { line in self.lines.withLock { $0.append(line) } }
                handler.logLevel = .debug
                return handler
            })
    }
}

/// Runs `body` against a server that is stopped afterwards.
func withServer(
    reactors: Int = 1, memory: Int = .max, _ change: (inout Limits) -> Void = { _ in },
    _ body: (RunningServer) async throws -> Void
) async throws {
    var limits = Limits()
    limits.drain = 30
    change(&limits)
    let responder = EchoResponder()
    let lines = LogLines()
    let budget = MemoryBudget(bytes: memory)
    let server = try HTTPServer(
        host: "127.0.0.1", port: 0, reactors: (0..<reactors).map { try Reactor(label: "test \($0)") },
        responder: responder,
        limits: limits, log: lines.log, budget: budget)
    do {
        try await body(RunningServer(server: server, responder: responder, lines: lines, budget: budget))
    } catch {
        responder.gate.open()
        // The reactor may be held.
        responder.release()
        await server.stop()
        throw error
    }
    responder.gate.open()
    await server.stop()
}

/// Waits until `condition` holds, `seconds` at most; says whether it did.
func eventually(within seconds: Double = 30, _ condition: () -> Bool) -> Bool {
    let end = MonotonicTime.now().adding(seconds: seconds)
    while !condition() {
        guard MonotonicTime.now() < end else { return false }
        usleep(5_000)
    }
    return true
}
