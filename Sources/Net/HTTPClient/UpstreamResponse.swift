import Bytes

/// The final response of an upstream, after all redirects. It never changes.
///
/// A class, because passing a struct on would count a reference for each field.
package final class UpstreamResponse: Sendable {
    /// 200…599.
    package let status: Int
    package let headers: UpstreamHeaders
    /// The body with its content coding decoded. Empty unless the status is 200, or 206 for a request with a range,
    /// because other bodies are not kept.
    ///
    /// If the upstream sends no length and just closes the connection, a truncated body looks like a complete one.
    package let body: SharedBytes
    /// True if the answered request contained conditions. Only then does 304 mean that nothing has changed.
    package let wasConditional: Bool
    /// True if the last redirect led to another origin than the configured one. The response's validators then have no
    /// meaning for the configured origin.
    package let isFromElsewhere: Bool
    /// True if a reused connection was dead and the request was sent a second time.
    package let wasRetried: Bool

    init(
        status: Int, headers: UpstreamHeaders, body: SharedBytes, wasConditional: Bool, isFromElsewhere: Bool,
        wasRetried: Bool
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.wasConditional = wasConditional
        self.isFromElsewhere = isFromElsewhere
        self.wasRetried = wasRetried
    }
}

/// The header fields of a response that the server needs for a tile. White space around a value is removed. A field
/// that is absent is nil. If a field occurs several times, the last value is kept. Only the values of `Cache-Control`,
/// `Vary`, `Expires` and `Age` are joined instead, with a comma and a space.
///
/// The values are not checked, and they may contain tabs and any bytes above 0x1F except 0x7F. Invalid UTF-8 becomes
/// replacement characters.
package struct UpstreamHeaders: Sendable, Hashable {
    package internal(set) var contentType: String?
    package internal(set) var etag: String?
    package internal(set) var lastModified: String?
    package internal(set) var cacheControl: String?
    package internal(set) var expires: String?
    package internal(set) var date: String?
    package internal(set) var age: String?
    package internal(set) var retryAfter: String?
    package internal(set) var vary: String?
    /// The range of a 206. Nil if the field is absent or invalid.
    package internal(set) var contentRange: ContentRange?
    /// True if the upstream set a cookie. The response may then be meant for one client only.
    package internal(set) var setsCookie = false

    init() {}
}

/// The times and the TLS data of one request.
///
/// They tell an operator why an upstream is slow or fails. If the request was redirected, the trace describes only the
/// last hop. Times are in seconds from the start of that hop.
package struct UpstreamTrace: Sendable, Equatable {
    /// Address of the upstream, such as `192.0.2.1:443` or `[2001:db8::1]:443`. Nil if there was no connection.
    package let address: String?
    /// Time until the name was resolved. Nil if it was not.
    package let resolved: Double?
    /// Time until the TCP connection was established. Nil if it was not.
    package let connected: Double?
    /// Time until TLS was established. Nil if it was not, or without TLS.
    package let secured: Double?
    /// Time until the first byte of the response. Nil if none came.
    package let firstByte: Double?
    /// Time until the end.
    package let total: Double
    /// Version of TLS that the request negotiated last, such as `TLSv1.3`. Nil if none was negotiated.
    package let tlsVersion: String?
    /// Expiry of the upstream's certificate, in seconds since 1970. Nil if libcurl accepted no chain of certificates.
    /// Not nil if only the host name in the certificate is wrong.
    package let certificateEnd: Int?
    /// libcurl's message about a TLS error. Nil if there is none.
    package let tlsTrouble: String?
    /// Number of redirects that were followed.
    package let redirects: Int
}
