import Bytes
import EventLog
import Glibc
import HTTPLimits
import Logging
import Runtime
import TLS

/// The state that all connections of one reactor share, such as the buffers, the responder and the `Date` line. A class
/// because it owns the buffers.
///
/// Thread rule: only on the reactor's queue.
final class Worker: @unchecked Sendable {
    // Invariant behind @unchecked: all mutable state is used on the reactor's queue only.
    let reactor: Reactor
    /// Replaced when the configuration is read again. A reply that has begun still comes from the earlier responder.
    var responder: any Responder
    private(set) var limits: ServerLimits
    /// `limits.idleTimeout` in seconds. Cached, because each response uses it.
    private(set) var idleSeconds: Double
    let log: EventLog
    /// Counts the memory that clients make the server use.
    let budget: MemoryBudget
    let held: HeldAnswers
    var accessLog: AccessLog
    /// Header lines of every response over TLS. Nil: none.
    var secureFields: SharedBytes?

    /// Buffer for received bytes. All connections share it, because each connection empties it before the next one's
    /// turn.
    private(set) var input: UnsafeMutableRawBufferPointer
    private(set) var fields: UnsafeMutableBufferPointer<FieldRange>
    /// Note of the current request. All requests share it, because each request is handled before the next one is read.
    let note = RequestNote()
    let output = OutputBatch()
    let counts = AnswerCounts()
    let streams: OpenStreams
    let heartbeat: StreamHeartbeat
    let handshakes: Handshakes
    let handshakeCounts: HandshakeCounts
    let http2Counts: HTTP2Counts
    /// True if connections without TLS may begin with HTTP/2.
    let speaksHTTP2: Bool
    /// Bytes of the memory for requests above which only the first stream of a connection gets memory.
    let furtherStreamsLimit: Int
    /// True while a connection reads and answers. The connection then uses `input`, `fields` and `output`.
    var isInTurn = false
    private(set) var isDraining = false
    /// Connections that were open when `drain` was called and are still open.
    private var earlier: Set<ObjectIdentifier> = []

    private(set) var connections: [ObjectIdentifier: Connection] = [:]
    private var holders: [PeerNetwork: Holder] = [:]
    private var overdue = ClosableConnections(.overdue, isReserved: false)
    private var young = ClosableConnections(.young, isReserved: false)
    private var overdueReserved = ClosableConnections(.overdue, isReserved: true)
    private let open: OpenConnections
    private var identifiers = UInt64.random(in: .min ... .max)
    private var date = SharedBytes.empty
    private var dateSecond = -1

    /// Creates the worker of `reactor`. `open`, `streams` and `budget` count the connections, streams and memory of all
    /// workers together. `held` counts only the unread responses of this worker.
    init(
        reactor: Reactor, responder: any Responder, limits: ServerLimits, log: EventLog, budget: MemoryBudget,
        held: HeldAnswers, accessLog: AccessLog, open: OpenConnections, streams: OpenStreams,
        handshakeCounts: HandshakeCounts, handshakeLimit: Int, http2Counts: HTTP2Counts,
        speaksHTTP2: Bool, furtherStreamsLimit: Int
    ) {
        self.reactor = reactor
        self.responder = responder
        self.limits = limits
        idleSeconds = limits.idleTimeout / .seconds(1)
        self.log = log
        self.budget = budget
        self.held = held
        self.accessLog = accessLog
        self.open = open
        self.streams = streams
        self.handshakeCounts = handshakeCounts
        self.http2Counts = http2Counts
        self.speaksHTTP2 = speaksHTTP2
        self.furtherStreamsLimit = furtherStreamsLimit
        handshakes = Handshakes(reactor, limit: handshakeLimit)
        heartbeat = StreamHeartbeat(reactor, every: limits.heartbeat)
        input = .allocate(byteCount: Self.inputBytes(limits), alignment: 16)
        fields = .allocate(capacity: limits.headerCount)
        // Weak, because the worker owns the heartbeat.
        heartbeat.beat = { [weak self] in
            self?.connections.values.forEach { $0.beat() }
        }
    }

    deinit {
        input.deallocate()
        fields.deallocate()
    }

    private static func inputBytes(_ limits: ServerLimits) -> Int { max(limits.head, limits.requestLine, 32_768) * 2 }

    /// Applies `limits` to later reads and responses. Deadlines that are already set do not change. Must not be called
    /// within a connection's turn.
    func follow(_ limits: ServerLimits) {
        self.limits = limits
        idleSeconds = limits.idleTimeout / .seconds(1)
        // The new buffer may have to hold bytes that a connection received under the earlier limits.
        if Self.inputBytes(limits) > input.count {
            input.deallocate()
            input = .allocate(byteCount: Self.inputBytes(limits), alignment: 16)
        }
        fields.deallocate()
        fields = .allocate(capacity: limits.headerCount)
    }

    /// Takes over a new connection, which `open` already counts.
    func adopt(_ newcomer: Newcomer, isReserved: Bool = false) {
        let session = newcomer.identity.flatMap { TLSSession($0, descriptor: newcomer.descriptor) }
        guard session != nil || newcomer.identity == nil else {
            // Memory ran out. Without TLS, the connection must not be served.
            close(newcomer.descriptor)
            return open.remove(isReserved: isReserved)
        }
        Socket.setNoDelay(newcomer.descriptor)
        let holder = holders[newcomer.network] ?? Holder(network: newcomer.network)
        if holder.count == 0 { holders[newcomer.network] = holder }
        holder.count += 1
        let connection = Connection(
            worker: self, transport: Transport(descriptor: newcomer.descriptor, session: session), peer: newcomer.peer,
            holder: holder, isReserved: isReserved)
        connections[ObjectIdentifier(connection)] = connection
        if session != nil { handshakes.begin(connection) }
        connection.start()
        if isDraining { connection.drain() }
    }

    func remove(_ connection: Connection) {
        connections[ObjectIdentifier(connection)] = nil
        if isDraining { earlier.remove(ObjectIdentifier(connection)) }
        let holder = connection.holder
        holder.count -= 1
        if holder.count == 0 { holders[holder.network] = nil }
        open.remove(isReserved: connection.isReserved)
    }

    /// Closes the connection that `ClosableConnections` chooses in favour of `newcomer`. Connections in reserved slots
    /// are not considered. Returns false if there is none. Must not be called within a connection's turn.
    func closeOne(_ kind: ClosableConnections.Kind, for newcomer: PeerNetwork) -> Bool {
        let held = holders[newcomer]?.count ?? 0
        let found =
            switch kind {
            case .overdue: overdue.first(of: connections.values, forAddressThatHolds: held, now: reactor.now)
            case .young: young.first(of: connections.values, forAddressThatHolds: held, now: reactor.now)
            }
        found?.makeRoom()
        return found != nil
    }

    /// Closes one overdue connection in a reserved slot. Returns false if there is none.
    func closeOneReserved() -> Bool {
        // All connections in reserved slots come from this machine.
        let found = overdueReserved.first(of: connections.values, forAddressThatHolds: 0, now: reactor.now)
        found?.makeRoom()
        return found != nil
    }

    /// Refuses a client for which there is no slot. Sends the error `response` unless the port has TLS, and closes the
    /// socket.
    func refuse(_ newcomer: Newcomer, with response: Response) {
        let id = nextIdentifier()
        log.record("limit", ["why": "connections", "rid": "\(ByteWriter.hex(id))", "peer": "\(newcomer.peer)"])
        // A client of HTTPS can read nothing before the handshake.
        if newcomer.identity == nil { send(response, id: id, to: newcomer.descriptor) }
        counts.add(response.tag, response.status)
        close(newcomer.descriptor)
        open.remove(isReserved: false)
    }

    /// Sends `response` without TLS as the only response of a connection, and closes the sending side.
    func send(_ response: Response, id: UInt64, to descriptor: Int32) {
        withUnsafeTemporaryAllocation(byteCount: OutputBatch.headCapacity, alignment: 16) { buffer in
            var writer = ByteWriter(buffer)
            writer.write(head: response, id: id, date: dateLine())
            writer.write("Connection: close\r\n\r\n")
            writer.write(response.body)
            // Tries to send only once. A new connection has room in its send buffer, and the server does not wait for
            // this client.
            var vector = iovec(iov_base: buffer.baseAddress, iov_len: writer.count)
            _ = Socket.send(descriptor, &vector, 1)
        }
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Lets every connection answer its current request and then close. An idle HTTP/1.1 connection may send one more
    /// request within a second, because the request may be on its way. A client that has sent half a head has at most
    /// the same time for the rest. Further calls do nothing: later connections are drained when they are adopted.
    func drain() {
        guard !isDraining else { return }
        isDraining = true
        earlier = Set(connections.keys)
        // Streamed responses of HTTP/1.1 come first.
        for connection in connections.values where connection.isStreaming { connection.drain() }
        for connection in connections.values where !connection.isStreaming { connection.drain() }
    }

    /// True if a connection is still open that was open when `drain` was called.
    var hasEarlierConnections: Bool { !earlier.isEmpty }

    /// Closes all connections, even if their requests have no response yet.
    func abort() {
        overdue.removeAll()
        young.removeAll()
        overdueReserved.removeAll()
        for connection in connections.values { connection.abort() }
        // The deadline wheel may still hold closed connections. They hold this worker, which holds the reactor that
        // owns the wheel: a reference cycle.
        reactor.deadlines.dropUnwatched()
    }

    /// Returns a request id that is unlikely to repeat within this process. Uses SplitMix64's output function over a
    /// counter.
    func nextIdentifier() -> UInt64 {
        identifiers &+= 0x9E37_79B9_7F4A_7C15
        var mixed = identifiers
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// Returns the `Date` line (RFC 9110 6.6.1), which is formatted at most once a second.
    func dateLine() -> SharedBytes {
        // The reactor's cached time shows whether the wall clock must be read.
        let second = reactor.now.nanoseconds / 1_000_000_000
        if second != dateSecond {
            dateSecond = second
            date = SharedBytes("Date: \(HTTPDate.format(time(nil)))\r\n")
        }
        return date
    }
}
