import Bytes
import Configuration
import HTTPServer

/// Sends the clients of the plain port to HTTPS (`server.https.redirect`). The target never comes from the request's
/// `Host`, so that no client can be led to another site. Thread rule: any thread.
struct PlainRedirect: Sendable {
    /// An HTTPS URL without a slash at the end. Nil: a certificate names the server.
    private let publicURL: String?
    private let certificates: Certificates

    /// Uses `publicURL` if it is an HTTPS URL. Otherwise uses the first name of `certificates` that is no wildcard,
    /// with the port of HTTPS.
    init(publicURL: String?, certificates: Certificates) {
        self.publicURL = publicURL.flatMap { $0.lowercased().hasPrefix("https://") ? $0 : nil }
        self.certificates = certificates
    }

    /// The beginning of the target. Nil if there is no `publicURL`, and no certificate has a name without a wildcard.
    /// A renewed certificate may have other names.
    private var base: String? {
        if let publicURL { return publicURL }
        let port = certificates.port.load(ordering: .relaxed)
        guard let name = certificates.shown.flatMap(\.names).first(where: { !$0.hasPrefix("*") }) else { return nil }
        return "https://\(name)\(port == 443 ? "" : ":\(port)")"
    }

    /// Returns the response to a request without TLS. Nil if the request is answered as with TLS: health checks and
    /// ACME challenges come over plain HTTP. Also nil if the server listens on no port with HTTPS.
    ///
    /// - Parameter isSecret: true for a route that may need a token or a signature.
    func response(to request: Request, isSecret: @autoclosure () -> Bool) -> Response? {
        let path = request.path
        // A service manager may have passed no socket for HTTPS.
        if certificates.port.load(ordering: .relaxed) == 0 { return nil }
        if path.equals("/health") || path.equals("/ready") || path.starts(with: ChallengeResponder.prefix.utf8) {
            return nil
        }
        let isRead =
            switch request.method {
            case .get, .head: true
            case .delete, .options, .post, .other: false
            }
        // A redirect would hide from a client that it has sent its token without TLS.
        guard isRead, !isSecret(), let base else { return Self.needsHTTPS }
        var target = base + String(decoding: path, as: UTF8.self)
        if let query = request.query { target += "?" + String(decoding: query, as: UTF8.self) }
        return Response(
            .permanentRedirect, fields: FieldLines.make([("Location", target)]), common: CommonFields.open,
            caching: Caching(.noStore))
    }

    private static let needsHTTPS = Problem(
        .forbidden, "https-required", "This request needs HTTPS. Use the https:// URL of this server."
    ).adminResponse
}
