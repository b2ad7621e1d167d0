import CLibcurl
import Glibc
import Synchronization

/// The scheme, the host and the port of a URL. libcurl parses the URL, so the host that is checked is the host to which
/// libcurl connects.
struct Origin: Equatable {
    let isSecure: Bool
    /// In lower case.
    let host: String
    let port: String
    /// True if the port is the default of the scheme.
    var hasDefaultPort: Bool { port == (isSecure ? "443" : "80") }
    /// True if the URL contains a user name or a password. Not used when origins are compared.
    let hasCredentials: Bool

    /// Parses `url`. Returns nil if it is not an absolute http or https URL.
    init?(_ url: String) {
        guard let parser = curl_url() else { return nil }
        defer { curl_url_cleanup(parser) }
        guard curl_url_set(parser, CURLUPART_URL, url, 0) == CURLUE_OK,
            let scheme = Self.part(CURLUPART_SCHEME, of: parser), scheme == "http" || scheme == "https",
            let host = Self.part(CURLUPART_HOST, of: parser), let port = Self.part(CURLUPART_PORT, of: parser)
        else { return nil }
        isSecure = scheme == "https"
        self.host = host.lowercased()
        self.port = port
        hasCredentials =
            Self.part(CURLUPART_USER, of: parser) != nil || Self.part(CURLUPART_PASSWORD, of: parser) != nil
    }

    private static func part(_ part: CURLUPart, of parser: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(parser, part, &text, UInt32(CURLU_DEFAULT_PORT)) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }

    static func == (left: Origin, right: Origin) -> Bool {
        left.isSecure == right.isSecure && left.host == right.host && left.port == right.port
    }
}

/// Decides whether the client follows a redirect.
enum Redirect {
    /// Checks hop number `hop` (1 is the first) from the URL `source` to the absolute URL `target`, for a request that
    /// began at `configured`. Returns nil if the redirect may be followed.
    static func fault(
        from source: Origin, to target: Origin?, configured: Origin, hop: Int, limit: Int
    ) -> UpstreamError.RedirectError? {
        guard hop <= limit else { return .tooMany(limit: limit) }
        guard let target else { return .unsupported }
        guard !target.hasCredentials else { return .credentials }
        guard !source.isSecure || target.isSecure else { return .downgrade }
        // Another port may belong to a service that is not a web server.
        return target.hasDefaultPort || target.port == configured.port ? nil : .port
    }
}

/// Checks URLs with the client's parser.
package enum UpstreamURL {
    /// Reports whether libcurl accepts `url` as an absolute http or https URL with a host. The host may not exist.
    package static func isValid(_ url: String) -> Bool {
        Origin(url) != nil
    }
}

/// Decides to which addresses the client may connect for one host of the configuration (docs/spec/threats.md T24). All
/// layers with this host share the decision.
///
/// The operator may configure any host, even in a private network. But the address of a name comes from DNS, and an
/// attacker may control DNS. These rules apply:
///
/// - A literal address and `localhost` are allowed.
/// - For any other name, the address of the first connection decides. If this address is not public, the host is
///   internal, and all its addresses are allowed. If it is public, a later connection to an address that is not public
///   is refused before a request is sent. This prevents an attack by a changed DNS entry (DNS rebinding).
/// - A redirect within the configured origin follows the rules above. Any other redirect may lead only to a public
///   address.
///
/// A layer that allows private addresses does not use the scope and does not decide it.
///
/// A class, so that all these layers share one decision. The decision lasts as long as the scope. Thread rule: any
/// thread.
package final class HostScope: Sendable {
    private let decision: Atomic<UInt8>

    private static let undecided: UInt8 = 0
    private static let publicOnly: UInt8 = 1
    private static let anywhere: UInt8 = 2

    /// Creates the scope of the host in `url`. An invalid URL never has connections.
    package init(of url: String) {
        let isLiteral = Origin(url).map { Self.isLiteral($0.host) } ?? false
        decision = Atomic(isLiteral ? Self.anywhere : Self.undecided)
    }

    /// True if no address needs a check.
    var allowsAnything: Bool { decision.load(ordering: .relaxed) == Self.anywhere }

    /// True if a connection to an address that is not public may be tried.
    var allowsPrivate: Bool { decision.load(ordering: .relaxed) != Self.publicOnly }

    /// Records, for the first connection only, whether the address is public. Returns false if no request may be sent
    /// over this connection.
    func connected(toPublic isPublic: Bool) -> Bool {
        let (_, known) = decision.compareExchange(
            expected: Self.undecided, desired: isPublic ? Self.publicOnly : Self.anywhere, ordering: .relaxed)
        return isPublic || known != Self.publicOnly
    }

    /// Reports whether `host` is a literal address or `localhost`. libcurl writes every form of an IPv4 address as four
    /// numbers, and an IPv6 address in brackets.
    private static func isLiteral(_ host: String) -> Bool {
        var v4 = in_addr()
        return host == "localhost" || host.hasPrefix("[") || inet_pton(AF_INET, host, &v4) == 1
    }
}
