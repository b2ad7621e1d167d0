import Runtime

/// A request to an upstream. The method is GET if the request has no content.
package struct UpstreamRequest: Sendable {
    /// An absolute http or https URL, percent-encoded where necessary.
    package let url: String
    /// The settings that this request shares with others.
    package let profile: UpstreamProfile
    /// Sent as `If-None-Match` (RFC 9110 13.1.2), but not to another origin after a redirect. Nil sends none.
    package let etag: String?
    /// Sent as `If-Modified-Since` (RFC 9110 13.1.3), but not to another origin after a redirect. Nil sends none.
    package let lastModified: String?
    /// Further fields, which are not sent to another origin after a redirect. A field is not sent if its value is empty
    /// or invalid, or if the profile sets a field with its name.
    package let fields: [(name: String, value: String)]
    /// Start of the total timeout, for a request that continues an earlier one. Nil means the time when the client
    /// starts the request.
    package let began: MonotonicTime?
    /// The bytes to request. The response is then a 206 with these bytes, or fewer at the end of the resource. A 200 is
    /// an error, and its body is not read. Nil requests the whole resource.
    package var range: ByteRange?
    /// Content that is sent with another method than GET. Redirects are then not followed.
    package var content: Content?
    /// True if segments of dots in the URL's path are sent as they stand. False if they are resolved (RFC 3986 5.2.4).
    /// A key in S3 may contain such segments. A redirect always resolves them.
    package var keepsDots = false
    /// Called with a trace of the request, on the reactor, before the outcome. The first hop then opens a new
    /// connection.
    package var onTrace: (@Sendable (UpstreamTrace) -> Void)?

    /// Creates a GET request. An `etag` or `lastModified` is not sent if it is empty or invalid in a header line.
    package init(
        url: String, profile: UpstreamProfile, etag: String? = nil, lastModified: String? = nil,
        fields: [(name: String, value: String)] = [], began: MonotonicTime? = nil
    ) {
        self.url = url
        self.profile = profile
        self.etag = etag.flatMap(Self.sendable)
        self.lastModified = lastModified.flatMap(Self.sendable)
        self.fields = fields.filter { Self.sendable($0.value) != nil }
        self.began = began
    }

    /// The method and the content of a request that is not a GET.
    package struct Content: Sendable {
        /// Any token except `HEAD` or `CONNECT`, even if libcurl does not know the method.
        package let method: String
        /// The content. Its type is the field `Content-Type` of the request or of its profile. Otherwise no type is
        /// sent.
        package let bytes: [UInt8]

        package init(method: String = "POST", bytes: [UInt8] = []) {
            self.method = method
            self.bytes = bytes
        }
    }

    /// True if the request has lines beside those of its profile.
    var hasOwnLines: Bool { isConditional || !fields.isEmpty || content != nil }

    /// True if the response may be 304.
    var isConditional: Bool { etag != nil || lastModified != nil }

    private static func sendable(_ value: String) -> String? {
        !value.isEmpty && UpstreamProfile.isFieldValue(value) ? value : nil
    }
}

/// Timeouts of a request in seconds (docs/spec/threats.md 2). They begin at the start of the request, with two
/// exceptions: `connect` begins again with each redirect or retry, and `total` begins at the request's `began`, if set.
package struct UpstreamTimeouts: Sendable, Hashable {
    /// Until the connection is established: name, TCP and TLS. A value outside 0.001…86,400 counts as the nearest of
    /// these two.
    package var connect: Double
    /// Until the first byte of the first response, which may be a redirect. Enforced up to about a quarter of a second
    /// late.
    package var firstByte: Double
    /// Until the last byte, including redirects and retries. Enforced up to about a quarter of a second late.
    package var total: Double

    package init(connect: Double = 2, firstByte: Double = 5, total: Double = 10) {
        self.connect = connect
        self.firstByte = firstByte
        self.total = total
    }
}

/// Limits for the size of a response and for the number of redirects (docs/spec/threats.md 2).
package struct UpstreamLimits: Sendable, Hashable {
    /// Bytes of all heads of one hop, including interim responses and trailers.
    package var head: Int
    /// Bytes of the body after its content coding is decoded.
    package var body: Int
    /// Maximum number of redirects that are followed.
    package var redirects: Int

    package init(head: Int = 32_768, body: Int = 4_194_304, redirects: Int = 2) {
        self.head = head
        self.body = body
        self.redirects = redirects
    }
}
