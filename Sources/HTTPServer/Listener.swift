import CLinux
import EventLog
import Glibc
import Logging
import Reactor
import Synchronization

/// Accepts connections on one socket and deals them out to the workers in turn.
///
/// A class to own the socket. Thread rule: `init` anywhere, the rest on the reactor's queue.
final class Listener: ReactorHandler, DeadlineHandler, @unchecked Sendable {
    // Invariant behind @unchecked: everything mutable is touched on the reactor's queue only; `open` synchronises
    // itself.
    private let reactor: Reactor
    private let workers: [Worker]
    private let limit: Int
    private let log: EventLog
    private let refusal: [UInt8]
    private let open: OpenConnections

    private var descriptor: Int32
    private var registration: Registration?
    private var next = 0
    private(set) var deadline = MonotonicTime.distantFuture
    var watchedTick = DeadlineWheel.notWatched

    /// `descriptor` is a listening, non-blocking socket, which the listener closes. `refusal` is sent to whom there
    /// is no place for.
    init(
        descriptor: Int32, reactor: Reactor, workers: [Worker], limit: Int, open: OpenConnections, refusal: [UInt8],
        log: EventLog
    ) {
        self.descriptor = descriptor
        self.reactor = reactor
        self.workers = workers
        self.limit = limit
        self.open = open
        self.refusal = refusal
        self.log = log
    }

    func start() throws(ReactorError) {
        registration = try reactor.register(descriptor, for: .readable, trigger: .level, handler: self)
    }

    func isReady(_ readiness: Readiness) {
        // Bounded, so that a flood of connections does not keep this reactor from those it has.
        for _ in 0..<64 {
            guard acceptOne() else { return }
        }
    }

    /// Accepts one connection; false when there is none to accept now.
    private func acceptOne() -> Bool {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let accepted = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                linux_accept(descriptor, $0, &length)
            }
        }
        guard accepted >= 0 else { return mayContinue(after: errno) }
        guard open.count.load(ordering: .relaxed) < limit else {
            refuse(accepted)
            return true
        }
        open.count.add(1, ordering: .relaxed)
        Socket.setNoDelay(accepted)
        let peer = Address.text(of: address)
        let worker = workers[next]
        next = (next + 1) % workers.count
        if worker.reactor === reactor {
            worker.adopt(accepted, peer: peer)
        } else {
            worker.reactor.post { worker.adopt(accepted, peer: peer) }
        }
        return true
    }

    private func mayContinue(after code: Int32) -> Bool {
        switch code {
        case EAGAIN: return false
        // accept(2): errors of a connection that died in the queue; the next one may be well.
        case EINTR, ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH, EOPNOTSUPP,
            ENETUNREACH:
            return true
        default:
            log.record("fd_exhausted", ["error": "\(String(cString: strerror(code)))"])
            pause()
            return false
        }
    }

    /// Stops accepting for a moment: a level-triggered socket that nobody can accept from would spin (threats.md
    /// T45).
    private func pause() {
        guard let registration else { return }
        reactor.unregister(registration)
        self.registration = nil
        deadline = reactor.now.adding(seconds: 0.1)
        reactor.deadlines.watch(self)
    }

    func deadlinePassed() {
        deadline = .distantFuture
        guard descriptor >= 0 else { return }
        do {
            try start()
        } catch {
            pauseAgain()
        }
    }

    private func pauseAgain() {
        deadline = reactor.now.adding(seconds: 0.1)
        reactor.deadlines.watch(self)
    }

    private func refuse(_ accepted: Int32) {
        log.record("limit", ["why": "connections"])
        // One attempt: a client that has just connected has room in its window, and nobody waits for one that has
        // not.
        _ = refusal.withUnsafeBytes { Glibc.send(accepted, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        shutdown(accepted, Int32(SHUT_WR))
        close(accepted)
    }

    /// Accepts what has connected already, then no more.
    func stop() {
        while descriptor >= 0, acceptOne() {}
        if let registration { reactor.unregister(registration) }
        registration = nil
        reactor.deadlines.unwatch(self)
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }
}

/// How many connections are open, over all workers.
final class OpenConnections: Sendable {
    let count = Atomic<Int>(0)
}
