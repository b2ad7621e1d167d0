import CLibcurl
import Glibc
import Runtime

/// One of libcurl's sockets in the reactor.
///
/// A kept-alive connection stays registered between two requests, which saves two system calls per request. That is
/// possible only for sockets that we opened ourselves, because only of those do we hear when they are closed.
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
            // Out of memory or watches: the request's own timeout answers for it.
            forget()
        }
    }

    /// libcurl has no wish for now; false if the socket is out of the reactor.
    func rest() -> Bool {
        guard isOurs else {
            forget()
            return false
        }
        isResting = true
        return true
    }

    /// Takes the socket out of the reactor.
    func forget() {
        if let registration { loop.reactor.unregister(registration) }
        registration = nil
        interest = []
    }

    func isReady(_ readiness: Readiness) {
        // An upstream that closes or talks between two requests: libcurl looks before it uses the connection again.
        guard !isResting else { return forget() }
        var mask: Int32 = 0
        if !readiness.isDisjoint(with: [.readable, .peerClosed, .hangup]) { mask |= CURL_CSELECT_IN }
        if readiness.contains(.writable) { mask |= CURL_CSELECT_OUT }
        if readiness.contains(.failed) { mask |= CURL_CSELECT_ERR }
        loop.act(on: descriptor, mask)
    }
}

/// `Glibc.close`, where a method of that name hides it.
func closeDescriptor(_ descriptor: Int32) {
    _ = Glibc.close(descriptor)
}
