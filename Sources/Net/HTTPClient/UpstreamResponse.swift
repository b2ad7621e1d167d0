import Bytes

/// What an upstream answered, after redirects.
///
/// A class, so that handing it on costs one reference and not one for each field. Immutable.
package final class UpstreamResponse: Sendable {
    /// 200…599.
    package let status: Int
    package let headers: UpstreamHeaders
    /// The body with its content coding undone. Empty unless the status is 200: other bodies are not kept.
    ///
    /// Where the upstream tells no length and just closes, a body that was cut looks like a whole one.
    package let body: SharedBytes
    /// Whether the request that was answered carried the conditions: only then does 304 mean that nothing has changed.
    package let wasConditional: Bool
    /// Whether the last redirect led to another origin than the configured one, so that what the response says of its
    /// version means nothing to the configured one.
    package let isFromElsewhere: Bool
    /// Whether a kept connection turned out to be dead, so that the request went out a second time.
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

/// The fields of a response that say something about a tile: raw values without the white space around them, nil where
/// absent. Of a field that comes several times, the last value is kept, but those of `Cache-Control`, `Vary`, `Expires`
/// and `Age` are joined, by a comma and a space.
///
/// Nothing here is judged: a value may be any bytes above 0x1F. What is not UTF-8 has replacement characters.
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
    /// Whether the upstream set a cookie, which says that the response is meant for one client.
    package internal(set) var setsCookie = false

    init() {}
}

/// How a request went, as far as libcurl tells: for an operator who asks why a source is slow or cannot be had.
///
/// Of a request that was redirected it is the last hop's. Times are in seconds from the start of that hop.
package struct UpstreamTrace: Sendable, Equatable {
    /// The other end, such as `192.0.2.1:443` or `[2001:db8::1]:443`; nil where there was no connection.
    package let address: String?
    /// Until the name had an address; nil where it never had one.
    package let resolved: Double?
    /// Until the TCP connection stood; nil where it never did.
    package let connected: Double?
    /// Until TLS stood; nil where it never did, and without TLS.
    package let secured: Double?
    /// Until the first byte of the response; nil where none came.
    package let firstByte: Double?
    /// Until the end.
    package let total: Double
    /// The version of TLS, such as `TLSv1.3`; nil where none was agreed on.
    package let tlsVersion: String?
    /// When the other end's certificate ends, in seconds since 1970; nil where none was accepted.
    package let certificateEnd: Int?
    /// What libcurl says is wrong with TLS, in its words; nil where nothing is.
    package let tlsTrouble: String?
    /// How many redirects were followed.
    package let redirects: Int
}
