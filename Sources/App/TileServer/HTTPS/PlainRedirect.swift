import Bytes
import Configuration
import HTTPServer

/// Sends the clients of the plain port to HTTPS (`server.https.redirect`). The target never comes from the request's
/// `Host`, so that no client can be led to another site. Thread rule: any thread.
struct PlainRedirect: Sendable {
    /// The beginning of the target, without a slash at the end. Nil if the server has no name for HTTPS.
    private let base: String?

    /// Uses `publicURL` if it is an HTTPS URL, else the first of `names` that is no wildcard, with `port`. Port 0 is not
    /// known before the server listens, so it gives no target.
    init(publicURL: String?, names: [String], port: Int) {
        if let publicURL, publicURL.lowercased().hasPrefix("https://") {
            base = publicURL
        } else {
            let suffix = port == 443 ? "" : ":\(port)"
            base = port == 0 ? nil : names.first { !$0.hasPrefix("*") }.map { "https://\($0)\(suffix)" }
        }
    }

    /// Returns the response to a request without TLS. Nil if the request is answered as with TLS: health checks and
    /// ACME challenges come over plain HTTP.
    func response(to request: Request) -> Response? {
        let path = request.path
        if path.equals("/health") || path.equals("/ready") || path.starts(with: ChallengeResponder.prefix.utf8) {
            return nil
        }
        let isRead =
            switch request.method {
            case .get, .head: true
            case .delete, .options, .post, .other: false
            }
        // A redirect would invite a client to send its token once more without TLS.
        let isSecret = ["/admin", "/fleet", "/metrics"].contains { Self.isBelow($0, path) }
        guard isRead, !isSecret, let base else { return Self.needsHTTPS }
        var target = base + String(decoding: path, as: UTF8.self)
        if let query = request.query { target += "?" + String(decoding: query, as: UTF8.self) }
        return Response(
            .permanentRedirect, fields: FieldLines.make([("Location", target)]), common: CommonFields.open,
            caching: Caching(.noStore))
    }

    private static func isBelow(_ first: String, _ path: UnsafeRawBufferPointer) -> Bool {
        guard path.starts(with: first.utf8) else { return false }
        return path.count == first.utf8.count || path[first.utf8.count] == UInt8(ascii: "/")
    }

    private static let needsHTTPS = Problem(
        .forbidden, "https-required", "This request needs HTTPS. Use the https:// URL of this server."
    ).adminResponse
}
