import Bytes
import EventLog
import Glibc
import HTTPLimits
import Logging
import Runtime

/// What the connections of one reactor share: buffers, the responder, the date. A class to own the buffers.
///
/// Thread rule: only on the reactor's queue.
final class Worker: @unchecked Sendable {
    // Invariant behind @unchecked: everything mutable is touched on the reactor's queue only.
    let reactor: Reactor
    /// Replaced when the configuration is read again; a request keeps the one it began with.
    var responder: any Responder
    private(set) var limits: ServerLimits
    /// `limits.idleTimeout` in seconds, which each answer asks for.
    private(set) var idleSeconds: Double
    let log: EventLog
    /// What counts the memory that clients make the server use.
    let budget: MemoryBudget
    let held: HeldAnswers
    var accessLog: AccessLog

    /// Bytes just received: one buffer for all connections, because each empties it before the next one's turn.
    private(set) var input: UnsafeMutableRawBufferPointer
    private(set) var fields: UnsafeMutableBufferPointer<FieldRange>
    /// The note of the request that is answered now. One for all requests: each is answered before the next is read.
    let note = RequestNote()
    let output = OutputBatch()
    let counts = AnswerCounts()
    let streams: OpenStreams
    let heartbeat: StreamHeartbeat
    /// One of the connections reads and answers, by means of `input`, `fields` and `output`.
    var isInTurn = false
    private(set) var isDraining = false
    /// The connections that were open when `drain` was called, without those that have closed since.
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

    /// `open` counts this worker's connections and those of others, `streams` their streams, `budget` their memory; `held` is
    /// this worker's part of it.
    init(
        reactor: Reactor, responder: any Responder, limits: ServerLimits, log: EventLog, budget: MemoryBudget,
        held: HeldAnswers, accessLog: AccessLog, open: OpenConnections,
        streams: OpenStreams
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
        heartbeat = StreamHeartbeat(reactor, every: limits.heartbeat)
        input = .allocate(byteCount: Self.inputBytes(limits), alignment: 16)
        fields = .allocate(capacity: limits.headerCount)
        // Weakly: the worker owns it.
        heartbeat.beat = { [weak self] in
            self?.connections.values.forEach { $0.beat() }
        }
    }

    deinit {
        input.deallocate()
        fields.deallocate()
    }

    private static func inputBytes(_ limits: ServerLimits) -> Int { max(limits.head, limits.requestLine, 32_768) * 2 }

    /// Holds what is read and answered from now on to `limits`; deadlines that are set already stay. Not within a connection's turn.
    func follow(_ limits: ServerLimits) {
        self.limits = limits
        idleSeconds = limits.idleTimeout / .seconds(1)
        // It may have to hold what a connection has received under the limits before.
        if Self.inputBytes(limits) > input.count {
            input.deallocate()
            input = .allocate(byteCount: Self.inputBytes(limits), alignment: 16)
        }
        fields.deallocate()
        fields = .allocate(capacity: limits.headerCount)
    }

    /// Takes over a newcomer that `open` counts already.
    func adopt(_ newcomer: Newcomer, isReserved: Bool = false) {
        Socket.setNoDelay(newcomer.descriptor)
        let holder = holders[newcomer.network] ?? Holder(network: newcomer.network)
        if holder.count == 0 { holders[newcomer.network] = holder }
        holder.count += 1
        let connection = Connection(
            worker: self, descriptor: newcomer.descriptor, peer: newcomer.peer, holder: holder, isReserved: isReserved)
        connections[ObjectIdentifier(connection)] = connection
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

    /// Closes the connection that `ClosableConnections` finds for `newcomer`, of the places that count towards the limit; false where
    /// it finds none. Not within a connection's turn.
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
        // All of them are of this machine.
        let found = overdueReserved.first(of: connections.values, forAddressThatHolds: 0, now: reactor.now)
        found?.makeRoom()
        return found != nil
    }

    /// Answers a newcomer that there is no place for, and ends it.
    func refuse(_ newcomer: Newcomer, with response: Response) {
        let id = nextIdentifier()
        log.record("limit", ["why": "connections", "rid": "\(ByteWriter.hex(id))", "peer": "\(newcomer.peer)"])
        withUnsafeTemporaryAllocation(byteCount: OutputBatch.headCapacity, alignment: 16) { buffer in
            var writer = ByteWriter(buffer)
            writer.write(head: response, id: id, date: dateLine())
            writer.write("Connection: close\r\n\r\n")
            writer.write(response.body)
            // One attempt: a client that has just connected has room in its window, and nobody waits for one that has not.
            var vector = iovec(iov_base: buffer.baseAddress, iov_len: writer.count)
            _ = Socket.send(newcomer.descriptor, &vector, 1)
        }
        counts.add(response.tag, response.status)
        shutdown(newcomer.descriptor, Int32(SHUT_WR))
        close(newcomer.descriptor)
        open.remove(isReserved: false)
    }

    /// Lets every connection answer what it was asked and then end; an idle one may be asked once more for a second,
    /// because its client may have sent a request already, and half a head has as long for its rest. The second call does
    /// nothing: connections that are adopted after the first one are drained one by one.
    func drain() {
        guard !isDraining else { return }
        isDraining = true
        earlier = Set(connections.keys)
        // Streams first: they would never end.
        for connection in connections.values where connection.isStreaming { connection.drain() }
        for connection in connections.values where !connection.isStreaming { connection.drain() }
    }

    /// Whether a connection is open that was open when `drain` was called.
    var hasEarlierConnections: Bool { !earlier.isEmpty }

    /// Ends what is left, answered or not.
    func abort() {
        overdue.removeAll()
        young.removeAll()
        overdueReserved.removeAll()
        for connection in connections.values { connection.abort() }
        // Connections that ended may stand in the wheel still: they hold this worker, and it holds the reactor of the wheel.
        reactor.deadlines.dropUnwatched()
    }

    /// A number that no other request of this process is likely to have (SplitMix64's output function over a
    /// counter).
    func nextIdentifier() -> UInt64 {
        identifiers &+= 0x9E37_79B9_7F4A_7C15
        var mixed = identifiers
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// The `Date` line (RFC 9110 6.6.1), made once a second.
    func dateLine() -> SharedBytes {
        // The round's clock decides whether the wall clock is read at all.
        let second = reactor.now.nanoseconds / 1_000_000_000
        if second != dateSecond {
            dateSecond = second
            date = SharedBytes("Date: \(HTTPDate.format(time(nil)))\r\n")
        }
        return date
    }
}
