import Bytes
import EventLog
import Glibc
import Logging
import Runtime

/// A client's connection. It reads requests, sends the responses, and enforces timeouts.
///
/// A class because it owns the socket. Thread rule: only on the reactor's queue. Over HTTP/1.1, the connection sends
/// the responses in order, and reads no further request while it waits for a response or still sends one. TCP's flow
/// control therefore slows down a client that sends many requests at once or reads slowly.
///
/// All connections of a reactor take turns. In a turn, a connection reads once and answers the requests that it has
/// read. Over HTTP/1.1, the turn ends after about 64 requests, 256 KiB of bodies or 1 ms. The remaining bytes wait
/// until the other connections have had their turn.
final class Connection: ReactorHandler, ResumableHandler, DeadlineHandler, @unchecked Sendable {
    // Invariant behind @unchecked: all mutable state is used on the reactor's queue only.
    enum Phase {
        /// Waits for the TLS handshake.
        case handshaking
        /// Waits for a head, or has received part of it.
        case reading
        /// Reads the content of the request with this head. The request is handled when the content is complete.
        case draining(BodyDrain, head: [UInt8])
        /// Waits for the responder.
        case answering
        /// Sends a streamed response.
        case streaming(StreamedAnswer)
        /// Speaks HTTP/2. The session has the state of each stream.
        case http2(HTTP2Session)
        /// Sent the last response, and discards further bytes from the client. Otherwise a TCP reset could destroy the
        /// response.
        case lingering(budget: Int)
        case closed
    }

    /// The data about a request that is needed for its response, after the bytes of the request's head are gone.
    struct Exchange {
        var method: Method
        var keepsAlive: Bool
        var minorVersion: Int
        var id: UInt64
        /// Request id that the client, or a proxy in front of it, has chosen.
        var givenID: SharedBytes?
        var started: MonotonicTime
        /// Access log fields of the request. Nil if there is no access log, or if an HTTP/1.1 response is ready at once
        /// and the request can still be asked.
        var fields: Logger.Metadata?
        /// True if the work of a `Reply.pending` was cancelled, for example because the client closed its sending side.
        var isGivenUp = false
        var isHTTP2 = false
    }

    let worker: Worker
    let transport: Transport
    /// The client's address.
    let peer: String
    /// Counts the connections of the client's network at this worker.
    let holder: Holder
    /// True if the connection uses a slot that is reserved for clients on this machine. Over HTTP/1.1, such a
    /// connection gets one response. A request gets an error unless `Responder.servesWhenFull` allows it.
    let isReserved: Bool
    var phase: Phase
    /// The responder's running task over HTTP/1.1. Cancelled if the connection closes or the client closes its sending
    /// side before the response.
    var pending: Task<Void, Never>?
    var scanner = HeadScanner()
    /// Received bytes that were not used yet. Nil if there are none.
    var leftover: [UInt8]?
    /// True if `leftover` may contain complete requests that were not parsed yet.
    var hasUnreadLeftover = false
    /// True while the connection waits for its next turn, or for a step of its TLS handshake.
    var isPostponed = false
    /// True if the deadline of the TLS handshake has passed while the connection waited for a step.
    var isLate = false
    /// True if the deadline for the arriving request is set.
    var isTimed = false
    /// If `isTimed` is true: the start of the current timeout of the request.
    var arrivingSince = MonotonicTime.zero
    /// Latest time for the end of the current content. `setDeadline` sets no later deadline.
    var contentEnd = MonotonicTime.distantFuture
    /// True if the socket may hold bytes. Edge-triggered readiness is reported only once.
    var canRead = false
    /// True if the peer has closed its sending side. Unread bytes may still come before the end.
    var isEndAnnounced = false
    var peerSendsNoMore = false
    let outbox = Outbox()
    var endsAfterOutput = false
    /// True if pipelined requests had to be dropped. The connection then closes after the current response.
    var endsWithNextAnswer = false
    /// Bytes of requests that are counted in the budget.
    var countedInput = 0
    /// Bytes of a record's buffer that are counted in `HeldAnswers`.
    var countedRecord = 0
    var requests = 0
    /// Time when a batch was last passed to the socket. Before that, the time when the connection began, or when its
    /// TLS handshake ended.
    var sendingSince = MonotonicTime.zero
    /// While `outbox` is not empty: the last time when the client's side took bytes, as far as is known.
    var takenAt = MonotonicTime.zero
    /// Number of bytes that the client's side had confirmed at the last check.
    var confirmedBytes: UInt64 = 0

    private(set) var deadline = MonotonicTime.distantFuture
    private(set) var watchedTick = DeadlineWheel.notWatched
    private var registration: Registration?

    init(worker: Worker, transport: Transport, peer: String, holder: Holder, isReserved: Bool) {
        self.worker = worker
        self.transport = transport
        phase = transport.session == nil ? .reading : .handshaking
        self.peer = peer
        self.holder = holder
        self.isReserved = isReserved
        sendingSince = worker.reactor.now
    }

    var descriptor: Int32 { transport.descriptor }

    func start() {
        do {
            registration = try worker.reactor.register(
                descriptor, for: [.readable, .writable, .peerClosed], trigger: .edge, handler: self)
            setDeadline(in: worker.limits.headTimeout)
        } catch {
            worker.log.record("fd_exhausted", ["error": "\(error)"])
            close()
        }
    }

    func isReady(_ readiness: Readiness) {
        if !readiness.isDisjoint(with: [.hangup, .failed]) {
            worker.log.record("client_gone", level: .debug, ["peer": "\(peer)"])
            return close()
        }
        if !readiness.isDisjoint(with: [.readable, .peerClosed]) { noteInput() }
        if readiness.contains(.peerClosed) {
            isEndAnnounced = true
            pending?.cancel()
        }
        // The next turn will handle the event.
        guard !isPostponed else { return }
        // A long chain of certificates may not fit into the socket at once.
        if readiness.contains(.writable), transport.session != nil, isHandshaking { return requestHandshakeStep() }
        if readiness.contains(.writable), !outbox.isEmpty { sendOutbox() }
        if case .http2(let session) = phase, readiness.contains(.writable) { session.pump() }
        if isEndAnnounced, isStreaming {
            advanceStream()
            flush()
        }
        serve()
    }

    /// Records that the socket may hold bytes.
    func noteInput() {
        canRead = true
        transport.session?.noteInput()
    }

    func resume() {
        isPostponed = false
        if !outbox.isEmpty { sendOutbox() }
        if isStreaming {
            advanceStream()
            flush()
        }
        if case .http2(let session) = phase { session.pump() }
        serve()
    }

    /// Requests another turn, unless the connection already waits for one.
    func postpone() {
        guard !isPostponed else { return }
        isPostponed = true
        worker.reactor.postpone(self)
    }

    func setDeadline(in time: Duration) {
        setDeadline(worker.reactor.now.adding(time))
    }

    func setDeadline(_ time: MonotonicTime) {
        let time = min(time, contentEnd)
        let isEarlier = time < deadline
        deadline = time
        // After a deadline has passed, the wheel no longer watches this connection.
        if isEarlier || watchedTick == DeadlineWheel.notWatched { worker.reactor.deadlines.watch(self) }
    }

    func setWatchedTick(_ tick: Int) { watchedTick = tick }

    func deadlinePassed() {
        let passed = deadline
        // If this server was slow, bytes in the socket may have arrived in time, so they are read first.
        if waitsForClient, Socket.hasBytes(descriptor) {
            readOn()
            guard deadline == passed else { return }
        }
        switch phase {
        case .closed: break
        case .lingering: close()
        case .http2(let session) where outbox.isEmpty: session.deadlinePassed()
        case .http2:
            worker.log.record("client_stall", ["peer": "\(peer)"])
            Socket.reset(descriptor)
            close()
        case .handshaking:
            guard isPostponed else { return endHandshake(.timeout, "deadline") }
            // The client may have sent enough in time, so the step that the connection waits for decides.
            isLate = true
            setDeadline(in: worker.limits.headTimeout)
        case .reading, .draining, .answering, .streaming:
            if isPostponed {
                // The connection waits for its turn and not for the client.
                setDeadline(in: worker.limits.headTimeout)
            } else if !outbox.isEmpty {
                worker.log.record("client_stall", ["peer": "\(peer)"])
                Socket.reset(descriptor)
                close()
            } else if isAnswering {
                setDeadline(.distantFuture)
            } else if isMidRequest {
                refuseLate()
                flush()
            } else {
                close()
            }
        }
    }

    func refuseLate(_ rejection: RequestError = .slowHead) {
        var head = leftover ?? []
        if case .draining(_, let complete) = phase { head = complete }
        head.withUnsafeBytes { refuse(rejection, head: $0) }
    }

    // MARK: The end

    /// Prepares the connection for the server's shutdown. See `Worker.drain`.
    func drain() {
        // The next turn ends the stream.
        if isStreaming { return postpone() }
        if case .http2(let session) = phase { return drain(session) }
        let end = worker.reactor.now.adding(worker.limits.lastRequest)
        if case .handshaking = phase { return setDeadline(min(deadline, end)) }
        guard case .reading = phase, outbox.isEmpty else { return }
        // A half-received head keeps its deadline if that is earlier.
        setDeadline(leftover == nil ? end : min(deadline, end))
    }

    func abort() {
        Socket.reset(descriptor)
        close()
    }

    /// Closes the sending side, and waits up to a second for the client to do the same (RFC 9112 9.6).
    func linger() {
        transport.finish()
        let earlier = phase
        phase = .lingering(budget: 65_536)
        if case .http2(let session) = earlier { session.end() }
        leftover = nil
        _ = countInput(0)
        setDeadline(in: .seconds(1))
    }

    func close() {
        if case .closed = phase { return }
        if case .streaming(let answer) = phase { release(answer) }
        if isHandshaking {
            worker.handshakes.end(self)
            worker.handshakeCounts.add(.failed)
        }
        // A client over TLS learns that the connection has ended. If bytes wait in the outbox, the connection is broken
        // or is being reset.
        if outbox.isEmpty, !isHandshaking { transport.session?.finish() }
        let earlier = phase
        phase = .closed
        if case .http2(let session) = earlier { session.end() }
        // Frees the memory now, because the deadline wheel may hold this object for a while.
        transport.session?.end()
        leftover = nil
        _ = countInput(0)
        outbox.removeAll(worker.held)
        countRecord()
        pending?.cancel()
        pending = nil
        if let registration { worker.reactor.unregister(registration) }
        worker.reactor.deadlines.unwatch(self)
        Glibc.close(descriptor)
        worker.remove(self)
    }
}
