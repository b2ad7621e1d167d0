import CLibcurl

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
