import Bytes
import Dispatch
import EventLog
import Glibc
import HTTPLimits
import Runtime
import Synchronization

/// An HTTP/1.1 server (RFC 9110, RFC 9112) that hands requests to a `Responder`: one reactor per core, each with its
/// own connections.
///
/// A class to own the listening socket. Thread rule: any thread.
public final class HTTPServer: Sendable {
    /// Where the server listens; the port is the real one where 0 was asked for.
    public let port: Int
    private let reactors: [Reactor]
    let workers: [Worker]
    private let listeners: [Listener]
    /// How many connections may be open, those beside that are kept for this machine.
    public let connectionLimit: Int
    private let open: OpenConnections
    private let streams: OpenStreams
    private let drainTime: Mutex<Duration>
    private let budget: MemoryBudget
    /// What of the budget is kept for connections.
    private let reserved: Int

    /// What a connection may take before anything of it is counted.
    static let connectionBytes = 1_024

    /// Listens at once: when `init` returns, a client can connect. `reactors` must not be empty; `budget` counts
    /// what clients make this server keep. `sockets` listen already, and are this server's from here on; `host` and `port` are bound
    /// where there are none.
    package init(
        host: String, port: Int, sockets: [ListeningSocket] = [], reactors: [Reactor], responder: any Responder,
        limits: ServerLimits, log: EventLog, budget: MemoryBudget = MemoryBudget(bytes: .max),
        accessLog: AccessLog = .off
    ) throws {
        precondition(!reactors.isEmpty, "a server needs a reactor")
        let descriptors =
            sockets.isEmpty ? [try Address.listen(host: host, port: port)] : sockets.map(\.descriptor)
        self.port = Address.port(of: descriptors[0])
        self.reactors = reactors
        drainTime = Mutex(limits.drain)
        let open = OpenConnections()
        self.open = open
        let connections = Self.connectionLimit(
            wanted: limits.connections ?? ServerLimits.standardConnections, memory: budget.bytes)
        connectionLimit = connections
        let streams = OpenStreams(limit: min(limits.listeners, max(connections / 2, 1)), budget: budget)
        self.streams = streams
        let workers = reactors.map { reactor in
            Worker(
                reactor: reactor, responder: responder, limits: limits, log: log, budget: budget,
                held: HeldAnswers(budget, oneOf: reactors.count), accessLog: accessLog, open: open, streams: streams)
        }
        self.workers = workers
        self.budget = budget
        reserved = connections * Self.connectionBytes
        budget.add(reserved, for: .requests)
        let admission = Admission(
            workers: workers, limit: connections, open: open,
            refusal: responder.refusal(.tooManyConnections))
        let listeners = descriptors.map {
            Listener(descriptor: $0, reactor: reactors[0], admission: admission, workerCount: workers.count, log: log)
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

    /// The open connections.
    public var connectionCount: Int { open.count }

    /// The connections that were accepted since the start.
    public var acceptedCount: Int { open.acceptedCount }

    /// The streamed answers under way.
    public var streamCount: Int { streams.count }

    /// What the server has answered until now, and will have.
    public var answers: AnswerTotals { AnswerTotals(workers: workers.map(\.counts)) }

    /// Has later requests answered by `responder`.
    public func replaceResponder(_ responder: any Responder) {
        for worker in workers {
            worker.reactor.post { worker.responder = responder }
        }
    }

    /// Has later requests written to the access log as `accessLog` says.
    public func follow(_ accessLog: AccessLog) {
        for worker in workers {
            worker.reactor.post { worker.accessLog = accessLog }
        }
    }

    /// Holds clients to `limits` from now on. The number of connections and of listeners stays as it was at the start.
    public func follow(_ limits: ServerLimits) {
        drainTime.withLock { $0 = limits.drain }
        for worker in workers {
            worker.reactor.post { worker.follow(limits) }
        }
    }

    /// Returns when every request that comes is answered by the responder and within the limits that were set last: each reactor
    /// has had a turn by then.
    public func settle() async {
        for worker in workers { await run(on: worker.reactor) {} }
    }

    /// The same, for who may block; never on a reactor.
    public func waitUntilSettled() {
        let turns = DispatchGroup()
        for worker in workers {
            turns.enter()
            worker.reactor.post { turns.leave() }
        }
        turns.wait()
    }

    /// Stops: lets every connection finish its answer and close, and cuts off what is left after `ServerLimits.drain`.
    ///
    /// The server accepts no more from the beginning. If `listensMeanwhile` is true, it accepts connections, and answers each of
    /// them once, until the connections that were open at the beginning are closed, the time is over, or the task is cancelled.
    public func stop(listensMeanwhile: Bool = false) async {
        let end = MonotonicTime.now().adding(drainTime.withLock { $0 })
        if listensMeanwhile {
            for worker in workers { await run(on: worker.reactor) { worker.drain() } }
            while !Task.isCancelled, MonotonicTime.now() < end, await hasEarlierConnections() {
                try? await Task.sleep(for: .milliseconds(20))  // Cancelled: the loop ends.
            }
        }
        beginStop()
        // The listener has handed over the last connections by then.
        await run(on: reactors[0]) {}
        while connectionCount > 0, MonotonicTime.now() < end {
            try? await Task.sleep(for: .milliseconds(20))  // Cancelled: the loop ends all the sooner.
        }
        for worker in workers { await run(on: worker.reactor) { worker.abort() } }
    }

    /// Whether a connection is open that was open when the workers were told to drain.
    private func hasEarlierConnections() async -> Bool {
        for worker in workers {
            if await run(on: worker.reactor, { worker.hasEarlierConnections }) { return true }
        }
        return false
    }

    /// Accepts no more and lets every connection finish its answer and close; returns before that is done.
    func beginStop() {
        let (listeners, workers) = (listeners, workers)
        reactors[0].post {
            for listener in listeners { listener.stop() }
            // Behind the connections that the listener has just handed over.
            for worker in workers { worker.reactor.post { worker.drain() } }
        }
    }

    /// Stops at once, whatever is under way, and returns before that is done: for an owner that never served.
    public func abandon() {
        let (listeners, workers) = (listeners, workers)
        reactors[0].post {
            for listener in listeners { listener.stop() }
            // Behind the connections that the listener has just handed over.
            for worker in workers { worker.reactor.post { worker.abort() } }
        }
    }

    private func run<Value: Sendable>(on reactor: Reactor, _ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            reactor.post { continuation.resume(returning: work()) }
        }
    }

    /// As many as wanted, but half of the process's descriptors stay free for everything else, and they take no more than an
    /// eighth of the `memory` that clients may (docs/spec/threats.md 2).
    static func connectionLimit(wanted: Int, memory: Int) -> Int {
        let wanted = max(min(wanted, memory / 8 / connectionBytes), 1)
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return wanted }
        return max(min(wanted, Int(clamping: limit.rlim_cur) / 2 - 128), 1)
    }
}
