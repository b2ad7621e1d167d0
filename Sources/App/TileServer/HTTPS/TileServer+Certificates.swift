import Bytes
import Configuration
import EventLog
import Foundation
import HTTPServer
import Logging
import Synchronization
import TLS

/// The certificates of a running server. Thread rule: any thread.
final class Certificates: Sendable {
    let identity: ServerIdentity
    /// The port of HTTPS, which may come from the service manager. 0 before the server listens, or if the passed
    /// sockets have none for HTTPS.
    let port = Atomic<Int>(0)
    private let tickets: TLSTickets
    private let state: Mutex<State>

    private struct State {
        var pairs: [CertificateFiles]
        var stamps: [FileStamp]
    }

    /// Reads the certificates that `settings` names. `secret` is shared by the nodes of a fleet, so that each node
    /// resumes the sessions of the others. Blocks.
    init(_ settings: HTTPSSettings, secret: String?) throws(CertificateFileError) {
        tickets = TLSTickets(secret: secret)
        let stamps = Self.stamps(settings.pairs)
        identity = ServerIdentity(try TLSContext(settings.pairs, tickets: tickets))
        state = Mutex(State(pairs: settings.pairs, stamps: stamps))
    }

    /// The certificates that new connections get.
    var shown: [TLSContext.Certificate] { identity.context.certificates }

    /// Reads the files of `pairs`, and returns a function that shows them from then on. Blocks. Throws if a pair cannot
    /// be used.
    func read(_ pairs: [CertificateFiles]) throws(CertificateFileError) -> @Sendable () -> Void {
        // Takes the stamps first. A change during the read is then read again.
        let stamps = Self.stamps(pairs)
        let context = try TLSContext(pairs, tickets: tickets)
        return { [self] in
            let earlier = state.withLock { state in
                state = State(pairs: pairs, stamps: stamps)
                return identity.replace(by: context)
            }
            withExtendedLifetime(earlier) {}
        }
    }

    /// Reads changed files again. If a pair cannot be used, logs why, and the earlier certificates stay in use. Blocks.
    func follow(_ log: EventLog) {
        let pairs = state.withLock { $0.pairs }
        let stamps = Self.stamps(pairs)
        do throws(CertificateFileError) {
            let context = try TLSContext(pairs, tickets: tickets)
            // A reload may have named other files meanwhile.
            let earlier = state.withLock { state in
                guard state.pairs == pairs else { return nil as TLSContext? }
                state.stamps = stamps
                return identity.replace(by: context)
            }
            guard earlier != nil else { return }
            let expires = Date(timeIntervalSince1970: Double(shown.map(\.expires).min() ?? 0))
            log.write("certificate", ["expires": "\(expires.formatted(.iso8601))"])
        } catch {
            // Reports each change once. The next change is read again.
            state.withLock { $0.stamps = stamps }
            log.record("certificate_error", level: .error, ["problem": "\(error)"])
        }
    }

    private static func stamps(_ pairs: [CertificateFiles]) -> [FileStamp] {
        pairs.flatMap { [FileStamp($0.certificate), FileStamp($0.keyPath)] }
    }
}

/// A service manager has passed a socket for HTTPS, and the configuration names no certificate.
package struct MissingCertificateError: Error, CustomStringConvertible {
    package var description: String { "a socket named https needs server.https with a certificate" }
}

extension TileServer {
    /// Returns the ports that a server listens on. Sockets from the service manager replace the configured ports.
    static func ports(
        of settings: ServerSettings, _ launch: Launch, _ certificates: Certificates?
    ) -> HTTPServer.Ports {
        // Passed sockets are all that the service manager wants, so none of the missing kind is bound.
        let isPassed = !launch.sockets.isEmpty || !launch.secureSockets.isEmpty
        let plain = isPassed ? nil : settings.port.map { (host: settings.host, port: $0) }
        guard let https = settings.https, let certificates, !isPassed || !launch.secureSockets.isEmpty else {
            return HTTPServer.Ports(plain: plain, sockets: launch.sockets, speaksHTTP2: settings.h2c)
        }
        let secure = HTTPServer.Ports.Secure(
            host: settings.host, port: https.port, sockets: launch.secureSockets, identity: certificates.identity)
        return HTTPServer.Ports(
            plain: plain, sockets: launch.sockets, speaksHTTP2: settings.h2c, secure: secure)
    }
}

extension HTTPSSettings {
    /// The header lines of every response over TLS (RFC 6797 6.1).
    var secureFields: SharedBytes? {
        hsts.map { FieldLines.make([("Strict-Transport-Security", "max-age=\($0.components.seconds)")]) }
    }
}

extension Certificates: WatchedFiles {
    var notifyingPath: String? { state.withLock { $0.pairs.first?.certificate } }

    var stamps: [FileStamp] { Self.stamps(state.withLock { $0.pairs }) }

    var lastRead: [FileStamp] { state.withLock { $0.stamps } }
}
