import Runtime

/// One request to another server: a GET, unless it has content.
package struct UpstreamRequest: Sendable {
    /// An absolute http or https URL, percent-encoded where it must be.
    package let url: String
    /// What this request shares with others.
    package let profile: UpstreamProfile
    /// Sent as `If-None-Match` (RFC 9110 13.1.2), but not to another origin that a redirect leads to; nil sends none.
    package let etag: String?
    /// Sent as `If-Modified-Since` (RFC 9110 13.1.3), under the same rule.
    package let lastModified: String?
    /// Further field lines, under the same rule. What no field can hold is not sent.
    package let fields: [(name: String, value: String)]
    /// Since when the total time counts, for a request that goes on with what an earlier one began; nil: since it is
    /// sent.
    package let began: MonotonicTime?
    /// What is sent by another method than GET; redirects of its answer are not followed then.
    package var content: Content?
    /// Told how the request went before its outcome is, on the reactor; the request has a connection of its own then.
    package var onTrace: (@Sendable (UpstreamTrace) -> Void)?

    /// An `etag` or `lastModified` that is empty, or that no field can hold, is not sent.
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

    /// A method and what goes with it.
    package struct Content: Sendable {
        /// A token that libcurl knows nothing of may be one too, but not `HEAD` or `CONNECT`.
        package let method: String
        /// Its type is what a field `Content-Type` of the request or its profile says; else it has none.
        package let bytes: [UInt8]

        package init(method: String = "POST", bytes: [UInt8] = []) {
            self.method = method
            self.bytes = bytes
        }
    }

    /// Whether it has lines beside those of its profile.
    var hasOwnLines: Bool { isConditional || !fields.isEmpty || content != nil }

    /// Whether the answer may be that nothing has changed.
    var isConditional: Bool { etag != nil || lastModified != nil }

    private static func sendable(_ value: String) -> String? {
        !value.isEmpty && UpstreamProfile.isFieldValue(value) ? value : nil
    }
}

/// The longest that a request may take, in seconds, each counted from the request's start (docs/spec/threats.md 2).
package struct UpstreamTimeouts: Sendable, Hashable {
    /// Until the connection stands: name, TCP and TLS. At least 0.001.
    package var connect: Double
    /// Until the first byte of the response. Noticed at most a quarter of a second late.
    package var firstByte: Double
    /// Until the last byte, redirects and retries included. Noticed at most a quarter of a second late.
    package var total: Double

    package init(connect: Double = 2, firstByte: Double = 5, total: Double = 10) {
        self.connect = connect
        self.firstByte = firstByte
        self.total = total
    }
}

/// The most that a response may bring (docs/spec/threats.md 2).
package struct UpstreamLimits: Sendable, Hashable {
    /// Bytes of all heads of one hop, interim responses included.
    package var head: Int
    /// Bytes of the body after its content coding is undone.
    package var body: Int
    /// Redirects followed.
    package var redirects: Int

    package init(head: Int = 32_768, body: Int = 4_194_304, redirects: Int = 2) {
        self.head = head
        self.body = body
        self.redirects = redirects
    }
}
