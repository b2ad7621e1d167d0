import Bytes
import Dispatch
import EventLog
import Foundation
import HTTPLimits
import Logging
import TestSupport
import Runtime
import Synchronization
import Testing

@testable import HTTPServer

/// A counter for any thread. A class, so that closures can share it.
final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .relaxed) }

    func increment() { count.add(1, ordering: .relaxed) }
}

/// A server on a free port, with its responder, log lines and memory budget.
struct RunningServer: Sendable {
    let server: HTTPServer
    let responder: EchoResponder
    let lines: LogLines
    let budget: MemoryBudget

    var port: Int { server.port }

    /// Connects a client as 127.0.0.`host`.
    func client(timeout: Double = Patience.seconds, receiveBuffer: Int32? = nil, host: UInt8 = 1) throws -> RawClient {
        try RawClient(port: port, timeout: timeout, receiveBuffer: receiveBuffer, host: host)
    }

    /// Connects a client whose request blocks the reactor until `responder.release()`.
    func holdingClient() throws -> RawClient {
        let client = try client()
        let before = responder.replyCount
        try client.send(RawClient.request("GET", "/hold"))
        guard eventuallyBlocking({ responder.replyCount > before }) else { throw RawClient.Failure.timeout }
        return client
    }

    /// Sends `text` on a new connection. Returns the server's answers and how the connection ended.
    func exchange(_ text: String) throws -> (responses: [RawResponse], end: RawClient.End) {
        let client = try client()
        try client.send(latin1(text))
        let (bytes, end) = try client.readToEnd()
        return (try RawResponse.parseAll(bytes), end)
    }
}

extension Worker {
    /// Closes a connection for a new client whose address has no other connection. Returns false if none can be closed.
    func closeOne(_ kind: ClosableConnections.Kind) -> Bool { closeOne(kind, for: PeerNetwork(sockaddr_storage())) }
}

extension RunningServer {
    /// Runs `work` on the reactor at `index` and returns its result.
    func onReactor<Value: Sendable>(_ index: Int = 0, _ work: @escaping @Sendable (Worker) -> Value) -> Value? {
        let (done, result) = (DispatchSemaphore(value: 0), SharedValue<Value>())
        let worker = server.workers[index]
        worker.reactor.post {
            result.value.withLock { $0 = work(worker) }
            done.signal()
        }
        done.wait()
        return result.value.withLock { $0 }
    }

    /// Blocks the first reactor while the test sends bytes. Calls `before` for each connection and then `send`. After
    /// that, waits for each connection until bytes can be read and calls `after`.
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
                _ = eventuallyBlocking { Socket.hasBytes(connection.descriptor) }
                after(connection)
            }
        }
        held.wait()
        defer { sent.signal() }
        try send()
    }

    /// Begins to stop the server. Returns when the server accepts no more connections and every connection knows about
    /// the stop.
    func beginStop() async {
        server.beginStop()
        // In the first pass the listener tells the connections. In the second pass the connections act.
        for _ in 0..<2 { await server.settle() }
    }
}

/// A value that another thread sets.
private final class SharedValue<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}

/// Collects the lines of a log.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func events(_ name: String) -> [String] {
        all.filter { $0.contains("\"ev\":\"\(name)\"") }
    }

    var log: EventLog {
        EventLog(
            logger: Logger(label: "test") { [self] _ in
                var handler = LineLogHandler { line in self.lines.withLock { $0.append(line) } }
                handler.logLevel = .debug
                return handler
            })
    }
}

/// Runs `body` with a server and stops the server afterwards.
func withServer(
    reactors: Int = 1, memory: Int = .max, ports: HTTPServer.Ports = HTTPServer.Ports(plain: ("127.0.0.1", 0)),
    _ change: (inout ServerLimits) -> Void = { _ in },
    _ body: (RunningServer) async throws -> Void
) async throws {
    var limits = ServerLimits()
    limits.drain = .seconds(30)
    change(&limits)
    let responder = EchoResponder()
    let lines = LogLines()
    let budget = MemoryBudget(bytes: memory)
    let server = try HTTPServer(
        ports, reactors: (0..<reactors).map { try Reactor(label: "test \($0)") },
        responder: responder, limits: limits, log: lines.log, budget: budget)
    do {
        try await body(RunningServer(server: server, responder: responder, lines: lines, budget: budget))
    } catch {
        responder.gate.open()
        // A request may still block the reactor.
        responder.release()
        await server.stop()
        throw error
    }
    responder.gate.open()
    await server.stop()
}
