import CLibcurl
import Glibc
import Synchronization

/// Scheme, host and port of a URL, as libcurl reads them: what it judges is what it connects to.
struct Origin: Equatable {
    let isSecure: Bool
    /// Lower case.
    let host: String
    let port: String
    /// Whether the port is that of the scheme.
    var hasDefaultPort: Bool { port == (isSecure ? "443" : "80") }
    /// Whether the URL carries a user name or a password. No part of the comparison of origins.
    let hasCredentials: Bool

    /// Nil for what is not an absolute http or https URL.
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

/// Whether a redirect is followed. Pure.
enum Redirect {
    /// Judges hop number `hop` (1 is the first) from the URL `source` to the absolute URL `target`, for a request that
    /// began at `configured`.
    static func fault(
        from source: Origin, to target: Origin?, configured: Origin, hop: Int, limit: Int
    ) -> UpstreamError.RedirectError? {
        guard hop <= limit else { return .tooMany(limit: limit) }
        guard let target else { return .unsupported }
        guard !target.hasCredentials else { return .credentials }
        guard !source.isSecure || target.isSecure else { return .downgrade }
        // Any other port may be that of a service which is no web server.
        return target.hasDefaultPort || target.port == configured.port ? nil : .port
    }
}

/// URLs as the client reads them.
package enum UpstreamURL {
    /// Whether `url` is an absolute http or https URL with a host that the client can ask.
    package static func isValid(_ url: String) -> Bool {
        Origin(url) != nil
    }
}

/// Where the connections to one configured host may lead (docs/spec/threats.md T24), for all layers that name it.
///
/// The operator may name any host, also one of a private network, but what a name resolves to is not the operator's word:
///
/// - A literal address, and `localhost`, is allowed as it is.
/// - For a name, the first connection decides. Leads it to an address that is not public, then the operator means an
///   internal host, and every address is allowed. Leads it to a public one, then a later connection to an address that is
///   not public is refused before anything is sent there: that is DNS rebinding.
/// - A redirect within the configured origin counts as the configured host. Any other may lead to public addresses only.
///
/// A layer that allows private addresses asks nothing of this, and decides nothing.
///
/// A class to share one decision, for as long as the process lives. Thread rule: any thread.
package final class HostScope: Sendable {
    private let decision: Atomic<UInt8>

    private static let undecided: UInt8 = 0
    private static let publicOnly: UInt8 = 1
    private static let anywhere: UInt8 = 2

    /// The scope of the host in `url`; what is no URL has no connections to judge.
    package init(of url: String) {
        let isLiteral = Origin(url).map { Self.isLiteral($0.host) } ?? false
        decision = Atomic(isLiteral ? Self.anywhere : Self.undecided)
    }

    /// Whether no address needs to be looked at.
    var allowsAnything: Bool { decision.load(ordering: .relaxed) == Self.anywhere }

    /// Whether a connection to an address that is not public may be tried.
    var allowsPrivate: Bool { decision.load(ordering: .relaxed) != Self.publicOnly }

    /// Takes in where a connection led; false where nothing may be sent over it.
    func connected(toPublic isPublic: Bool) -> Bool {
        let (_, known) = decision.compareExchange(
            expected: Self.undecided, desired: isPublic ? Self.publicOnly : Self.anywhere, ordering: .relaxed)
        return isPublic || known != Self.publicOnly
    }

    /// `host` as libcurl writes it: every spelling of an IPv4 address as four numbers, an IPv6 address in brackets.
    private static func isLiteral(_ host: String) -> Bool {
        var v4 = in_addr()
        return host == "localhost" || host.hasPrefix("[") || inet_pton(AF_INET, host, &v4) == 1
    }
}
