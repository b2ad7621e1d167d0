import Bytes
import Dispatch
import EventLog
import Glibc
import HTTPLimits
import Runtime
import Synchronization
import TLS

/// A server for HTTP/1.1 and HTTP/2 (RFC 9110, RFC 9112, RFC 9113) that passes requests to a `Responder`. The server
/// has one or more reactors (event loops), normally one per core. Each reactor serves its own connections.
///
/// A class because it owns the listening sockets. Thread rule: any thread.
public final class HTTPServer: Sendable {
    /// The port of the first socket that the server listens on. If port 0 was requested, this is the port that the
    /// system chose. Of a server with HTTPS alone, this is `securePort`.
    public let port: Int
    /// The port of the first socket with TLS. Nil if there is none.
    public let securePort: Int?
    /// The results of TLS handshakes since the start.
    public let handshakes = HandshakeCounts()
    /// Counts of HTTP/2 since the start.
    public let http2 = HTTP2Counts()
    private let reactors: [Reactor]
    let workers: [Worker]
    private let listeners: [Listener]
    /// Maximum number of open connections, without the slots that are reserved for clients on this machine.
    public let connectionLimit: Int
    private let open: OpenConnections
    private let streams: OpenStreams
    private let drainTime: Mutex<Duration>
    private let budget: MemoryBudget
    /// Bytes of the budget that are reserved for connections and their TLS handshakes.
    private let reserved: Int

    /// Bytes that a connection may use before any of its data is counted.
    static let connectionBytes = 1_024

    /// Creates a server that listens at once: when `init` returns, a client can connect.
    ///
    /// - Parameters:
    ///   - ports: must name at least one socket.
    ///   - reactors: must not be empty.
    ///   - budget: counts the memory that clients make this server use.
    package init(
        _ ports: Ports, reactors: [Reactor], responder: any Responder, limits: ServerLimits, log: EventLog,
        budget: MemoryBudget = MemoryBudget(bytes: .max), accessLog: AccessLog = .off
    ) throws {
        precondition(!reactors.isEmpty, "a server needs a reactor")
        let open = try ports.listen()
        precondition(!open.isEmpty, "a server needs a port")
        port = Address.port(of: open[0].descriptor)
        securePort = open.first { $0.identity != nil }.map { Address.port(of: $0.descriptor) }
        self.reactors = reactors
        drainTime = Mutex(limits.drain)
        let opened = OpenConnections()
        self.open = opened
        let isSecure = ports.secure != nil
        let each =
            Self.connectionBytes + (isSecure ? TLSSession.idleBytes : 0)
            + (isSecure || ports.speaksHTTP2 ? HTTP2Session.idleBytes + HTTP2Session.firstBytes : 0)
        let connections = Self.connectionLimit(
            wanted: limits.connections ?? ServerLimits.standardConnections, memory: budget.bytes, each: each)
        connectionLimit = connections
        let handshakeLimit = isSecure ? Self.handshakeLimit(connections, memory: budget.bytes) : 0
        let streams = OpenStreams(limit: min(limits.listeners, max(connections / 2, 1)), budget: budget)
        self.streams = streams
        reserved = connections * each + handshakeLimit * TLSSession.handshakeBytes
        budget.add(reserved, for: .requests)
        let (used, most) = (budget.used(by: .requests), budget.most(for: .requests))
        let furtherStreamsLimit = used + max(most - used, 0) / 4 * 3
        let workers = reactors.map { [counts = handshakes, http2] reactor in
            Worker(
                reactor: reactor, responder: responder, limits: limits, log: log, budget: budget,
                held: HeldAnswers(budget, oneOf: reactors.count), accessLog: accessLog, open: opened, streams: streams,
                handshakeCounts: counts, handshakeLimit: max(handshakeLimit / reactors.count, 1),
                http2Counts: http2, speaksHTTP2: ports.speaksHTTP2,
                furtherStreamsLimit: furtherStreamsLimit)
        }
        self.workers = workers
        self.budget = budget
        let admission = Admission(
            workers: workers, limit: connections, open: opened,
            refusal: responder.refusal(.tooManyConnections))
        let listeners = open.map {
            Listener(
                descriptor: $0.descriptor, identity: $0.identity, reactor: reactors[0], admission: admission,
                workerCount: workers.count, log: log)
        }
        self.listeners = listeners
        reactors[0].post {
            do {
                for listener in listeners { try listener.start() }
            } catch {
                log.record("fd_exhausted", level: .critical, ["error": "\(error)"])
            }
        }
    }

    deinit {
        budget.giveBack(reserved, for: .requests)
    }

    /// Number of open connections.
    public var connectionCount: Int { open.count }

    /// Number of connections that were accepted since the start.
    public var acceptedCount: Int { open.acceptedCount }

    /// Number of open streamed responses.
    public var streamCount: Int { streams.count }

    /// Counts of the server's responses, which stay up to date.
    public var answers: AnswerTotals { AnswerTotals(workers: workers.map(\.counts)) }

    /// Replaces the responder for later requests.
    public func replaceResponder(_ responder: any Responder) {
        for worker in workers {
            worker.reactor.post { worker.responder = responder }
        }
    }

    /// Replaces the access log for later requests.
    public func follow(_ accessLog: AccessLog) {
        for worker in workers {
            worker.reactor.post { worker.accessLog = accessLog }
        }
    }

    /// Replaces the header lines that every response over TLS has. Nil: none.
    public func follow(secureFields: SharedBytes?) {
        for worker in workers {
            worker.reactor.post { worker.secureFields = secureFields }
        }
    }

    /// Replaces the limits for clients from now on. The maximum numbers of connections and listeners do not change.
    public func follow(_ limits: ServerLimits) {
        drainTime.withLock { $0 = limits.drain }
        for worker in workers {
            worker.reactor.post { worker.follow(limits) }
        }
    }

    /// Waits until each reactor has applied the last changes. Every later request is then handled by the latest
    /// responder and limits.
    public func settle() async {
        for worker in workers { await run(on: worker.reactor) {} }
    }

    /// Waits like `settle()`, but blocks the calling thread. Must not be called on a reactor.
    public func waitUntilSettled() {
        let turns = DispatchGroup()
        for worker in workers {
            turns.enter()
            worker.reactor.post { turns.leave() }
        }
        turns.wait()
    }

    /// Stops the server gracefully. Each connection may still finish its response before it closes. Connections that
    /// are still open after `ServerLimits.drain` are reset.
    ///
    /// Normally, the server accepts no new connections from now on. If `listensMeanwhile` is true, it still accepts new
    /// connections at first, and ends each one soon, over HTTP/1.1 after one response. This phase ends when all earlier
    /// connections are closed, when the drain time is over, or when the task is cancelled.
    public func stop(listensMeanwhile: Bool = false) async {
        let end = MonotonicTime.now().adding(drainTime.withLock { $0 })
        if listensMeanwhile {
            for worker in workers { await run(on: worker.reactor) { worker.drain() } }
            while !Task.isCancelled, MonotonicTime.now() < end, await hasEarlierConnections() {
                try? await Task.sleep(for: .milliseconds(20))  // Cancelled: the loop ends.
            }
        }
        beginStop()
        // After this turn, the listeners have handed over their last connections.
        await run(on: reactors[0]) {}
        while connectionCount > 0, MonotonicTime.now() < end {
            // In a task of its own, because the sleep of a cancelled task ends at once and the loop would spin.
            await Task { try? await Task.sleep(for: .milliseconds(20)) }.value
        }
        for worker in workers { await run(on: worker.reactor) { worker.abort() } }
    }

    /// Reports whether a connection is still open that was open when the workers began to drain.
    private func hasEarlierConnections() async -> Bool {
        for worker in workers {
            if await run(on: worker.reactor, { worker.hasEarlierConnections }) { return true }
        }
        return false
    }

    /// Stops accepting connections, and lets every connection finish its response and close. Returns before that is
    /// done.
    func beginStop() {
        let (listeners, workers) = (listeners, workers)
        reactors[0].post {
            for listener in listeners { listener.stop() }
            // Runs after the connections that the listener has just handed over.
            for worker in workers { worker.reactor.post { worker.drain() } }
        }
    }

    /// Stops at once and resets all connections. Returns before that is done. For an owner that never served.
    public func abandon() {
        let (listeners, workers) = (listeners, workers)
        reactors[0].post {
            for listener in listeners { listener.stop() }
            // Runs after the connections that the listener has just handed over.
            for worker in workers { worker.reactor.post { worker.abort() } }
        }
    }

    private func run<Value: Sendable>(on reactor: Reactor, _ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            reactor.post { continuation.resume(returning: work()) }
        }
    }

    /// Returns the maximum number of incomplete TLS handshakes: at most `connections`, and so many that they take at
    /// most a sixteenth of the `memory` for clients. The result is at least 1.
    static func handshakeLimit(_ connections: Int, memory: Int) -> Int {
        max(min(connections, memory / 16 / TLSSession.handshakeBytes), 1)
    }

    /// Returns the maximum number of connections: `wanted`, but at most 128 less than half of the process's
    /// descriptors, and so many that they take at most an eighth of the `memory` for clients, with `each` bytes for one
    /// (docs/spec/threats.md 2). The result is at least 1.
    static func connectionLimit(wanted: Int, memory: Int, each: Int = connectionBytes) -> Int {
        let wanted = max(min(wanted, memory / 8 / each), 1)
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return wanted }
        return max(min(wanted, Int(clamping: limit.rlim_cur) / 2 - 128), 1)
    }
}
