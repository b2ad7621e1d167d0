import CLibcurl
import Glibc
import Runtime

/// Connects a socket of libcurl with the events of the reactor.
///
/// A kept-alive connection stays registered in the reactor between two requests, which saves two system calls per
/// request. This works only for sockets that this client opened itself, because libcurl does not tell when it closes
/// other sockets.
///
/// Thread rule: the reactor's queue.
final class UpstreamSocket: ReactorHandler {
    private let descriptor: Int32
    private unowned let loop: TransferLoop
    private let isOurs: Bool
    private var registration: Registration?
    private var interest: Readiness = []
    private var isResting = false

    init(_ descriptor: Int32, loop: TransferLoop, isOurs: Bool) {
        self.descriptor = descriptor
        self.loop = loop
        self.isOurs = isOurs
    }

    func watch(_ interest: Readiness) {
        isResting = false
        guard interest != self.interest || registration == nil else { return }
        self.interest = interest
        do throws(ReactorError) {
            if let registration {
                try loop.reactor.modify(registration, for: interest)
            } else {
                registration = try loop.reactor.register(descriptor, for: interest, trigger: .level, handler: self)
            }
        } catch {
            // Out of memory or of epoll watches. The request's timeout will end it.
            forget()
        }
    }

    /// Marks the socket as unused by libcurl for now. Returns false if the socket was removed from the reactor.
    func rest() -> Bool {
        guard isOurs else {
            forget()
            return false
        }
        isResting = true
        return true
    }

    /// Removes the socket from the reactor.
    func forget() {
        if let registration { loop.reactor.unregister(registration) }
        registration = nil
        interest = []
    }

    func isReady(_ readiness: Readiness) {
        // The upstream closed the connection or sent bytes between two requests. libcurl checks the connection before
        // it reuses it.
        guard !isResting else { return forget() }
        var mask: Int32 = 0
        if !readiness.isDisjoint(with: [.readable, .peerClosed, .hangup]) { mask |= CURL_CSELECT_IN }
        if readiness.contains(.writable) { mask |= CURL_CSELECT_OUT }
        if readiness.contains(.failed) { mask |= CURL_CSELECT_ERR }
        loop.act(on: descriptor, mask)
    }
}

/// Calls `Glibc.close` where a method named `close` hides it.
func closeDescriptor(_ descriptor: Int32) {
    _ = Glibc.close(descriptor)
}
