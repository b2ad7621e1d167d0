import Bytes
import EventLog
import Glibc
import Logging
import Runtime

/// One client's connection: reads requests, has them answered in their order, and knows when to give up.
///
/// A class to own the socket. Thread rule: only on the reactor's queue. It reads nothing while an answer is pending
/// or not yet taken, so that a client that pipelines or reads slowly is held back by TCP's own flow control.
///
/// A turn is one read and what can be answered of it, up to 64 requests, 256 KiB of bodies or a millisecond; what is left waits
/// until the reactor's other connections had theirs.
final class Connection: ReactorHandler, ResumableHandler, DeadlineHandler, @unchecked Sendable {
    // Invariant behind @unchecked: everything mutable is touched on the reactor's queue only.
    enum Phase {
        /// Waiting for a head or in the middle of one.
        case reading
        /// The content of the request whose head this is is being read; it is answered when all of it is there.
        case draining(BodyDrain, head: [UInt8])
        /// The responder is at work.
        case answering
        /// A streamed answer is under way.
        case streaming(StreamedAnswer)
        /// The last answer is sent; what the client still sends is thrown away, so that no reset overtakes the
        /// answer.
        case lingering(budget: Int)
        case closed
    }

    /// What of a request is needed once its head is gone.
    struct Exchange {
        var method: Method
        var keepsAlive: Bool
        var minorVersion: Int
        var id: UInt64
        /// What the client, or a proxy in front of it, calls the request.
        var givenID: SharedBytes?
        var started: MonotonicTime
        /// What the access log says of the request, where there is one and the answer is still to come.
        var fields: Logger.Metadata?
        /// Its client has left, or ended its side, and what was at work on the answer was told to stop.
        var isGivenUp = false
    }

    let worker: Worker
    let descriptor: Int32
    /// The client's address.
    let peer: String
    /// How many connections it has here.
    let holder: Holder
    /// One of the places that are kept for clients on this machine: it is answered once, and only what `Responder.servesWhenFull`
    /// says.
    let isReserved: Bool
    var phase = Phase.reading
    /// What the responder is at work in; cancelled where the client leaves, or ends its side, before the answer.
    var pending: Task<Void, Never>?
    var scanner = HeadScanner()
    /// Bytes that were received and not used yet; nil while there are none, so that an idle connection is small.
    var leftover: [UInt8]?
    /// The leftover may hold whole requests that were not looked at.
    var hasUnreadLeftover = false
    /// The connection waits in the reactor for its next turn.
    var isPostponed = false
    /// The request that is arriving has its deadline.
    var isTimed = false
    /// If `isTimed`: the time since when its next bytes are waited for.
    var arrivingSince = MonotonicTime.zero
    /// The end of the time of the content that is being read. No deadline is later than this time.
    var contentEnd = MonotonicTime.distantFuture
    /// The socket may hold bytes: edge-triggered readiness is told once.
    var canRead = false
    /// The peer's end was announced, and may lie behind bytes that are still to be read.
    var isEndAnnounced = false
    var peerSendsNoMore = false
    let outbox = Outbox()
    var endsAfterOutput = false
    /// What was sent behind the request that is being answered had to go.
    var endsWithNextAnswer = false
    /// Bytes of requests that are counted in the budget.
    var countedInput = 0
    var requests = 0
    /// When the latest answer began to be sent; before the first one, when the connection began.
    var sendingSince = MonotonicTime.zero
    /// While `outbox` holds bytes: when the client's side took some last, as far as is known.
    var takenAt = MonotonicTime.zero
    /// Bytes that the client's side had confirmed when that was looked at.
    var confirmedBytes: UInt64 = 0

    private(set) var deadline = MonotonicTime.distantFuture
    private(set) var watchedTick = DeadlineWheel.notWatched
    private var registration: Registration?

    init(worker: Worker, descriptor: Int32, peer: String, holder: Holder, isReserved: Bool) {
        self.worker = worker
        self.descriptor = descriptor
        self.peer = peer
        self.holder = holder
        self.isReserved = isReserved
        sendingSince = worker.reactor.now
    }

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
        if !readiness.isDisjoint(with: [.readable, .peerClosed]) { canRead = true }
        if readiness.contains(.peerClosed) {
            isEndAnnounced = true
            pending?.cancel()
        }
        // Its next turn comes, and no sooner for that.
        guard !isPostponed else { return }
        if readiness.contains(.writable), !outbox.isEmpty { sendOutbox() }
        if isEndAnnounced, isStreaming {
            advanceStream()
            flush()
        }
        serve()
    }

    func resume() {
        isPostponed = false
        if !outbox.isEmpty { sendOutbox() }
        if isStreaming {
            advanceStream()
            flush()
        }
        serve()
    }

    /// Ends this turn and asks for another.
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
        // Nobody watches once a deadline passed, and the next one is later.
        if isEarlier || watchedTick == DeadlineWheel.notWatched { worker.reactor.deadlines.watch(self) }
    }

    func setWatchedTick(_ tick: Int) { watchedTick = tick }

    func deadlinePassed() {
        let passed = deadline
        // This server may have been held up, or be at other connections still: what lies in the socket came in time.
        if waitsForClient, Socket.hasBytes(descriptor) {
            readOn()
            guard deadline == passed else { return }
        }
        switch phase {
        case .closed: break
        case .lingering: close()
        case .reading, .draining, .answering, .streaming:
            if isPostponed {
                // It waits for this server and not for its client.
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

    /// The server stops: see `Worker.drain`.
    func drain() {
        // Its turn is what ends it.
        if isStreaming { return postpone() }
        guard case .reading = phase, outbox.isEmpty else { return }
        // Half a head that had less time left keeps that.
        let end = worker.reactor.now.adding(worker.limits.lastRequest)
        setDeadline(leftover == nil ? end : min(deadline, end))
    }

    func abort() {
        Socket.reset(descriptor)
        close()
    }

    /// Half-closes and waits a second for the client to do the same (RFC 9112 9.6).
    func linger() {
        shutdown(descriptor, Int32(SHUT_WR))
        phase = .lingering(budget: 65_536)
        leftover = nil
        _ = countInput(0)
        setDeadline(in: .seconds(1))
    }

    func close() {
        if case .closed = phase { return }
        if case .streaming(let answer) = phase { release(answer) }
        phase = .closed
        // The deadline wheel may hold this object for a while.
        leftover = nil
        _ = countInput(0)
        outbox.removeAll(worker.held)
        pending?.cancel()
        pending = nil
        if let registration { worker.reactor.unregister(registration) }
        worker.reactor.deadlines.unwatch(self)
        Glibc.close(descriptor)
        worker.remove(self)
    }
}
