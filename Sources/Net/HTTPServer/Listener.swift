import CLinux
import EventLog
import Glibc
import Logging
import Runtime
import TLS

/// Accepts connections on one socket, and passes them to the workers in turn.
///
/// A class because it owns the socket. Thread rule: `init` on any thread, all other methods on the reactor's queue.
final class Listener: ReactorHandler, DeadlineHandler, @unchecked Sendable {
    // Invariant behind @unchecked: all mutable state is used on the reactor's queue only.
    private let reactor: Reactor
    private let admission: Admission
    private let workerCount: Int
    private let log: EventLog
    /// The certificates that this port shows. Nil for a port without TLS.
    private let identity: ServerIdentity?

    private var descriptor: Int32
    private var registration: Registration?
    private var next = 0
    private(set) var deadline = MonotonicTime.distantFuture
    private(set) var watchedTick = DeadlineWheel.notWatched

    /// Creates a listener. `descriptor` is a listening, non-blocking socket, which the listener closes. `reactor` is
    /// the first worker's reactor.
    init(
        descriptor: Int32, identity: ServerIdentity?, reactor: Reactor, admission: Admission, workerCount: Int,
        log: EventLog
    ) {
        self.descriptor = descriptor
        self.identity = identity
        self.reactor = reactor
        self.admission = admission
        self.workerCount = workerCount
        self.log = log
    }

    func start() throws(ReactorError) {
        registration = try reactor.register(descriptor, for: .readable, trigger: .level, handler: self)
    }

    func isReady(_ readiness: Readiness) {
        // Bounded, so that a flood of new connections does not delay the reactor's other connections. A connection with
        // TLS costs more, and each round has at most one step of a handshake anyway.
        for _ in 0..<(identity == nil ? 64 : 8) {
            guard acceptOne() else { return }
        }
    }

    /// Accepts one connection. Returns false if no connection waits, or if the system can accept no further connection
    /// now.
    private func acceptOne() -> Bool {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let accepted = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                linux_accept(descriptor, $0, &length)
            }
        }
        guard accepted >= 0 else { return mayContinue(after: errno) }
        admission.place(
            Newcomer(descriptor: accepted, address: address, identity: identity?.context), at: next)
        next = (next + 1) % workerCount
        return true
    }

    private func mayContinue(after code: Int32) -> Bool {
        switch code {
        case EAGAIN: return false
        // A signal, or an error of a connection that broke in the queue (accept(2)). The next connection may be fine.
        case EINTR, ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH, EOPNOTSUPP,
            ENETUNREACH:
            return true
        default:
            log.record("fd_exhausted", ["error": "\(String(cString: strerror(code)))"])
            pause()
            return false
        }
    }

    /// Stops accepting for a moment. A level-triggered socket on which accept fails would otherwise cause a busy loop
    /// (docs/spec/threats.md T45).
    private func pause() {
        guard let registration else { return }
        reactor.unregister(registration)
        self.registration = nil
        deadline = reactor.now.adding(seconds: 0.1)
        reactor.deadlines.watch(self)
    }

    func setWatchedTick(_ tick: Int) { watchedTick = tick }

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

    /// Accepts the connections that are already in the queue, and then stops.
    func stop() {
        while descriptor >= 0, acceptOne() {}
        if let registration { reactor.unregister(registration) }
        registration = nil
        reactor.deadlines.unwatch(self)
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }
}

/// A listening TCP socket that another program has bound, such as a service manager before it starts this process.
public struct ListeningSocket: Sendable {
    let descriptor: Int32

    /// Takes ownership of `descriptor`, makes it non-blocking, and sets close-on-exec. If the descriptor is not a
    /// listening TCP socket, throws and changes nothing.
    public init(descriptor: Int32) throws(ListeningSocketError) {
        guard Self.option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue),
            Self.option(SO_ACCEPTCONN, of: descriptor) == 1,
            [AF_INET, AF_INET6].contains(Self.option(SO_DOMAIN, of: descriptor))
        else { throw ListeningSocketError(descriptor: descriptor) }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        self.descriptor = descriptor
    }

    /// The numeric address that the socket is bound to, without the port.
    public var host: String {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return Address.text(of: address)
    }

    private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }
}

/// A descriptor that is not a listening TCP socket.
public struct ListeningSocketError: Error, CustomStringConvertible, Sendable {
    public let descriptor: Int32

    public var description: String { "descriptor \(descriptor) is no listening TCP socket" }
}
