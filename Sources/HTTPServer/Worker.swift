import Bytes
import EventLog
import Glibc
import Reactor

/// What the connections of one reactor share: buffers, the responder, the date. A class to own the buffers.
///
/// Thread rule: only on the reactor's queue.
final class Worker: @unchecked Sendable {
    // Invariant behind @unchecked: everything mutable is touched on the reactor's queue only.
    let reactor: Reactor
    /// Replaced when the configuration is read again; a request keeps the one it began with.
    var responder: any Responder
    let limits: Limits
    let log: EventLog
    let accessLog: Bool

    /// Bytes just received: one buffer for all connections, because each empties it before the next one's turn.
    let input: UnsafeMutableRawBufferPointer
    let fields: UnsafeMutableBufferPointer<FieldRange>
    let output = OutputBatch()
    private(set) var isDraining = false

    private var connections: [ObjectIdentifier: Connection] = [:]
    private let onClose: @Sendable () -> Void
    private var identifiers = UInt64.random(in: .min ... .max)
    private var date = SharedBytes.empty
    private var dateSecond = -1

    /// `onClose` is called once for each connection that ends.
    init(
        reactor: Reactor, responder: any Responder, limits: Limits, log: EventLog, accessLog: Bool,
        onClose: @escaping @Sendable () -> Void
    ) {
        self.reactor = reactor
        self.responder = responder
        self.limits = limits
        self.log = log
        self.accessLog = accessLog
        self.onClose = onClose
        input = .allocate(byteCount: max(limits.head, limits.requestLine, 32_768) * 2, alignment: 16)
        fields = .allocate(capacity: limits.headerCount)
    }

    deinit {
        input.deallocate()
        fields.deallocate()
    }

    /// Takes over an accepted, non-blocking socket.
    func adopt(_ descriptor: Int32, peer: String) {
        let connection = Connection(worker: self, descriptor: descriptor, peer: peer)
        connections[ObjectIdentifier(connection)] = connection
        connection.start()
    }

    func remove(_ connection: Connection) {
        connections[ObjectIdentifier(connection)] = nil
        onClose()
    }

    /// Lets every connection answer what it was asked and then end; an idle one may be asked once more for a second,
    /// because its client may have sent a request already.
    func drain() {
        isDraining = true
        for connection in connections.values { connection.drain() }
    }

    /// Ends what is left, answered or not.
    func abort() {
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
            date = SharedBytes("Date: \(String(decoding: HTTPDate.format(time(nil)), as: UTF8.self))\r\n")
        }
        return date
    }
}
