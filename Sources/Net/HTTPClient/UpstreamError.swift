/// The reason why a request to an upstream has no response.
///
/// Errors are logged, so no case contains a URL, a header or a body, which may contain secrets.
package enum UpstreamError: Error, Hashable, Sendable {
    /// No connection could be made.
    case connect(ConnectError)
    /// A phase took longer than its limit.
    case timeout(Phase)
    /// The head or the decoded body is larger than `limit` bytes, or the head claims a larger body.
    case tooLarge(Part, limit: Int)
    /// TLS failed or the certificate is invalid. `code` is libcurl's (`CURLE_…`).
    case tls(code: Int)
    /// A redirect that is not followed.
    case redirect(RedirectError)
    /// A redirect, or a name that was public before, led to this address, which is not public (docs/spec/threats.md
    /// T24). No request was sent to it.
    case denied(address: String)
    /// The bytes received are not a valid HTTP response head.
    case badHead(HeadError)
    /// There is no room in memory for the body.
    case noMemory
    /// The connection, or the stream of HTTP/2, ended before the response was complete.
    case short
    /// The content coding is unknown, or the body is invalid in it.
    case badEncoding
    /// The response does not contain the requested range of bytes.
    case range(RangeError)
    /// The URL is malformed, or neither http nor https.
    case badURL
    /// Any other error. `code` is libcurl's (`CURLE_…`).
    case other(code: Int)

    /// The reason why there is no connection.
    package enum ConnectError: Hashable, Sendable {
        /// The name has no address.
        case unresolved
        /// No address accepted the connection, or no socket could be opened. `errno` is the last system error, or 0 if
        /// unknown.
        case failed(errno: Int32)
    }

    /// The phases of a request that have limits. `UpstreamTimeouts` says when each limit begins.
    package enum Phase: String, Hashable, Sendable {
        case connect
        case firstByte = "first_byte"
        case total
    }

    /// The parts of a response that have limits.
    package enum Part: String, Hashable, Sendable {
        case head, body
    }

    /// The reason why a redirect is not followed.
    package enum RedirectError: Hashable, Sendable {
        /// More redirects than allowed.
        case tooMany(limit: Int)
        /// From https to http.
        case downgrade
        /// Neither http nor https, or not a URL.
        case unsupported
        /// The target carries a user name or password.
        case credentials
        /// The target's port is neither that of its scheme nor that of the configured URL (docs/spec/threats.md T24).
        case port
    }

    /// The reason why a response does not contain the requested range.
    package enum RangeError: String, Hashable, Sendable {
        /// The upstream sent a 200 with the whole resource.
        case ignored
        /// The range has a content coding, so its bytes are not those of the resource.
        case coded
        /// `Content-Range` is missing or invalid, or names other bytes.
        case mismatched
    }

    /// The reason why a head is invalid.
    package enum HeadError: Hashable, Sendable {
        /// Not HTTP/1.0, HTTP/1.1 or HTTP/2, for example HTTP/0.9 or binary data. Also used if libcurl refuses a field,
        /// such as an invalid `Content-Length`.
        case notHTTP
        /// The status is not three digits in 100…599, or it is 101.
        case badStatus
        /// A control byte in the head, other than a tab.
        case controlByte
        /// More interim responses (1xx) than `limit`.
        case tooManyInterim(limit: Int)
    }
}

extension UpstreamError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .connect(.unresolved): "the upstream's host name has no address (DNS)"
        case .connect(.failed(let code)): "the connection to the upstream failed (errno \(code))"
        case .timeout(let phase): "the upstream took too long (\(phase.rawValue))"
        case .tooLarge(let part, let limit): "the upstream's \(part.rawValue) is larger than \(limit) bytes"
        case .tls(let code): "TLS with the upstream failed (libcurl \(code))"
        case .redirect(.tooMany(let limit)): "the upstream redirects more than \(limit) times"
        case .redirect(.downgrade): "the upstream redirects from https to http"
        case .redirect(.unsupported): "the upstream redirects to a URL that is neither http nor https"
        case .redirect(.credentials): "the upstream redirects to a URL with credentials"
        case .redirect(.port):
            "the upstream redirects to a port that is neither its own port nor the default port of the scheme"
        case .denied(let address): "the upstream leads to the address \(address), which is not public"
        case .badHead(.notHTTP): "the upstream does not answer in HTTP"
        case .badHead(.badStatus): "the upstream's status is not in 100…599"
        case .badHead(.controlByte): "the upstream's response head has a control byte"
        case .badHead(.tooManyInterim(let limit)): "the upstream sent more than \(limit) interim responses"
        case .noMemory: "no memory is left for the upstream's response body"
        case .short: "the upstream's response ended too early"
        case .badEncoding: "the upstream's content coding cannot be decoded"
        case .range(.ignored):
            "the upstream sends whole files instead of the requested bytes; it needs support for ranges"
        case .range(.coded): "the upstream compresses the requested bytes, which must be sent without a content coding"
        case .range(.mismatched): "the upstream sends other bytes than the requested ones"
        case .badURL: "the upstream's URL is malformed or neither http nor https"
        case .other(let code): "the request to the upstream failed (libcurl \(code))"
        }
    }
}
