import CLibssl

/// The certificates that a server shows to its clients, with their private keys. Immutable: new files make a new
/// context.
///
/// A class because it owns OpenSSL's object. Thread rule: any thread.
package final class TLSContext: @unchecked Sendable {
    // Invariant behind @unchecked: OpenSSL's contexts may be used on any thread once they are made.
    let pointer: OpaquePointer
    /// The keys of session tickets. OpenSSL uses them as long as there are sessions.
    private let tickets: TLSTickets
    /// The certificates in the order of the files.
    package let certificates: [Certificate]

    /// A certificate of a context.
    package struct Certificate: Sendable, Hashable {
        /// The path of the file.
        package let path: String
        /// The time at which the certificate expires, in seconds since 1970, or 0 if the time is unreadable.
        package let expires: Int
        /// The DNS names in the certificate's subjectAltName, in lower case, at most 8 KiB of them. A name may begin
        /// with `*.`.
        package let names: [String]
    }

    /// Reads the files of each pair. A client gets the certificate for the name that it asks for (SNI), and the first
    /// one if no certificate has this name or the client sends no name. Blocks.
    ///
    /// - Parameter pairs: must not be empty.
    package init(_ pairs: [CertificateFiles], tickets: TLSTickets) throws(CertificateFileError) {
        precondition(!pairs.isEmpty, "TLS needs a certificate")
        var certificates: [Certificate] = []
        var first: OpaquePointer?
        do throws(CertificateFileError) {
            for pair in pairs {
                let made = try Self.make(pair, tickets)
                certificates.append(Self.certificate(made, pair))
                if let first {
                    guard tls_context_add(first, made) == 1 else { throw Self.outOfMemory(pair) }
                } else {
                    first = made
                }
            }
        } catch {
            tls_context_free(first)
            throw error
        }
        guard let first else { throw Self.outOfMemory(pairs[0]) }
        (pointer, self.tickets, self.certificates) = (first, tickets, certificates)
    }

    deinit {
        tls_context_free(pointer)
    }

    private static func make(
        _ pair: CertificateFiles, _ tickets: TLSTickets
    ) throws(CertificateFileError) -> OpaquePointer {
        let (chain, key) = try pair.read()
        let bytes = (Array(chain.utf8), Array(key.utf8))
        var reason: UnsafePointer<CChar>?
        guard
            let made = tls_context_new(
                bytes.0, bytes.0.count, bytes.1, bytes.1.count, tickets.pointer, &reason)
        else { throw .refused(path: pair.certificate, reason: reason.map { String(cString: $0) } ?? "") }
        return made
    }

    private static func outOfMemory(_ pair: CertificateFiles) -> CertificateFileError {
        .refused(path: pair.certificate, reason: "out of memory")
    }

    private static func certificate(_ context: OpaquePointer, _ pair: CertificateFiles) -> Certificate {
        var names = [CChar](repeating: 0, count: 8_192)
        tls_context_names(context, &names, names.count)
        let text = String(decoding: names.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return Certificate(
            path: pair.certificate, expires: Int(tls_context_expires(context)),
            names: text.split(separator: " ").map { String($0).lowercased() })
    }
}

/// The keys of session tickets (RFC 8446 4.6.1), with which a client resumes a session without a full handshake. The
/// keys are derived from a secret and the day, and the keys of yesterday and tomorrow are accepted too. Servers with
/// the same secret resume each other's sessions.
///
/// A class because it owns OpenSSL's object. Thread rule: any thread.
package final class TLSTickets: @unchecked Sendable {
    // Invariant behind @unchecked: the object is not changed after `init`.
    let pointer: OpaquePointer

    /// Uses `secret`. Without a secret, or with an empty one, uses random bytes: then only contexts with this object
    /// resume the sessions.
    package init(secret: String? = nil) {
        let given = Array((secret ?? "").utf8)
        let bytes = given.isEmpty ? (0..<32).map { _ in UInt8.random(in: .min ... .max) } : given
        guard let made = tls_tickets_new(bytes, bytes.count) else {
            preconditionFailure("OpenSSL has no HKDF, or memory ran out at the start")
        }
        pointer = made
    }

    deinit {
        tls_tickets_free(pointer)
    }
}
