import Bytes
import EventLog
import Glibc
import Logging
import Reactor

/// One client's connection: reads requests, has them answered in their order, and knows when to give up.
///
/// A class to own the socket. Thread rule: only on the reactor's queue. It reads nothing while an answer is pending
/// or not yet taken, so that a client that pipelines or reads slowly is held back by TCP's own flow control.
final class Connection: ReactorHandler, DeadlineHandler, @unchecked Sendable {
    // Invariant behind @unchecked: everything mutable is touched on the reactor's queue only.
    enum Phase {
        /// Waiting for a head or in the middle of one.
        case reading
        /// The content of the request whose head this is is being read; it is answered when all of it is there.
        case draining(BodyDrain, head: [UInt8])
        /// The responder is at work.
        case answering
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
        var started: MonotonicTime
        /// Where there is an access log.
        var line: RequestLine?
    }

    let worker: Worker
    let descriptor: Int32
    let peer: String
    var phase = Phase.reading
    var scanner = HeadScanner()
    /// Bytes that were received and not used yet; nil while there are none, so that an idle connection is small.
    var leftover: [UInt8]?
    /// The leftover may hold whole requests that were not looked at.
    var hasUnreadLeftover = false
    /// The request that is arriving has its deadline.
    var isTimed = false
    /// The socket may hold bytes: edge-triggered readiness is told once.
    var canRead = false
    /// The peer's end was announced, and may lie behind bytes that are still to be read.
    var isEndAnnounced = false
    var peerSendsNoMore = false
    var outbox = Outbox()
    var endsAfterOutput = false
    var requests = 0
    /// When the oldest answer in `outbox` began to be sent.
    var sendingSince = MonotonicTime.zero

    private(set) var deadline = MonotonicTime.distantFuture
    var watchedTick = DeadlineWheel.notWatched
    private var registration: Registration?

    init(worker: Worker, descriptor: Int32, peer: String) {
        self.worker = worker
        self.descriptor = descriptor
        self.peer = peer
    }

    func start() {
        do {
            registration = try worker.reactor.register(
                descriptor, for: [.readable, .writable, .peerClosed], trigger: .edge, handler: self)
            setDeadline(inSeconds: worker.limits.headTimeout)
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
        if readiness.contains(.peerClosed) { isEndAnnounced = true }
        if readiness.contains(.writable), !outbox.isEmpty { sendOutbox() }
        serve()
    }

    func setDeadline(inSeconds seconds: Double) {
        setDeadline(worker.reactor.now.adding(seconds: seconds))
    }

    func setDeadline(_ time: MonotonicTime) {
        let isEarlier = time < deadline
        deadline = time
        // Nobody watches once a deadline passed, and the next one is later.
        if isEarlier || watchedTick == DeadlineWheel.notWatched { worker.reactor.deadlines.watch(self) }
    }

    func deadlinePassed() {
        switch phase {
        case .closed: break
        case .lingering: close()
        case .reading, .draining, .answering:
            if !outbox.isEmpty {
                worker.log.record("client_stall", ["peer": "\(peer)"])
                Socket.reset(descriptor)
                close()
            } else if case .answering = phase {
                setDeadline(.distantFuture)
            } else if isMidRequest {
                refuseLate()
                flush()
            } else {
                close()
            }
        }
    }

    private func refuseLate() {
        var head = leftover ?? []
        if case .draining(_, let complete) = phase { head = complete }
        head.withUnsafeBytes { refuse(.slowHead, head: $0) }
    }

    /// A request has begun to arrive and is not complete.
    var isMidRequest: Bool {
        if case .draining = phase { return true }
        if case .reading = phase { return leftover != nil }
        return false
    }

    // MARK: The end

    /// The server stops: see `Worker.drain`.
    func drain() {
        guard case .reading = phase, leftover == nil, outbox.isEmpty else { return }
        setDeadline(inSeconds: 1)
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
        setDeadline(inSeconds: 1)
    }

    func close() {
        if case .closed = phase { return }
        phase = .closed
        // The deadline wheel may hold this object for a while.
        leftover = nil
        outbox = Outbox()
        if let registration { worker.reactor.unregister(registration) }
        worker.reactor.deadlines.unwatch(self)
        Glibc.close(descriptor)
        worker.remove(self)
    }
}
