import EventLog
import Glibc
import Runtime

/// The TLS handshake, which comes before the first request.
extension Connection {
    var isHandshaking: Bool {
        if case .handshaking = phase { true } else { false }
    }

    /// Requests a step of the handshake, unless the connection already waits for one.
    func requestHandshakeStep() {
        guard !isPostponed else { return }
        isPostponed = true
        worker.handshakes.add(self)
    }

    func advanceHandshake() {
        isPostponed = false
        guard case .handshaking = phase, let session = transport.session else { return }
        switch session.advanceHandshake() {
        case .waits:
            if isEndAnnounced {
                endHandshake(.failed, "the client closed the connection")
            } else if isLate {
                endHandshake(.timeout, "deadline")
            }
        case .done:
            worker.handshakes.end(self)
            worker.handshakeCounts.add(session.isResumed ? .resumed : .full)
            phase = .reading
            sendingSince = worker.reactor.now
            setDeadline(in: worker.isDraining ? worker.limits.lastRequest : worker.limits.headTimeout)
            if session.speaksHTTP2 { beginHTTP2() }
            // The request may have come together with the last bytes of the handshake.
            readOn()
        case .plainHTTP:
            answerPlainRequest()
            endHandshake(.plain, "plain HTTP")
        case .failed(let reason): endHandshake(.failed, reason)
        }
    }

    /// Closes the connection and logs why.
    func endHandshake(_ result: HandshakeCounts.Result, _ reason: String) {
        worker.handshakes.end(self)
        worker.handshakeCounts.add(result)
        phase = .reading
        worker.log.record("bad_handshake", level: .info, ["why": "\(reason)", "peer": "\(peer)"])
        close()
    }

    /// Answers a request without TLS in plain HTTP, so that a user sees the mistake.
    private func answerPlainRequest() {
        let response = worker.responder.refusal(.plainOnSecurePort)
        let id = worker.nextIdentifier()
        worker.send(response, id: id, to: descriptor)
        worker.counts.add(response.tag, response.status)
        // If unread bytes were left, the close would be a reset, which could destroy the response.
        _ = Socket.receive(descriptor, into: worker.input)
    }
}
