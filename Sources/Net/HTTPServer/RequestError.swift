/// The reason why the HTTP server itself refuses a request, for example because the request is malformed or too large.
public struct RequestError: Error, Equatable, Sendable {
    public let status: Status
    /// Name of the log event (docs/spec/threats.md 4).
    public let event: String
    /// A short text that says what was wrong.
    public let why: String

    static func requestLine(_ why: String) -> RequestError {
        RequestError(status: .badRequest, event: "bad_request_line", why: why)
    }

    static func header(_ why: String) -> RequestError {
        RequestError(status: .badRequest, event: "bad_header", why: why)
    }

    static func framing(_ why: String) -> RequestError {
        RequestError(status: .badRequest, event: "bad_framing", why: why)
    }

    static func host(_ why: String) -> RequestError {
        RequestError(status: .badRequest, event: "bad_host", why: why)
    }

    static func limit(_ status: Status, _ what: String) -> RequestError {
        RequestError(status: status, event: "limit", why: what)
    }

    static let version = RequestError(status: .httpVersionNotSupported, event: "bad_request_line", why: "version")
    static let slowHead = RequestError(status: .requestTimeout, event: "slow_head", why: "deadline")
    static let unfinished = RequestError(status: .requestTimeout, event: "limit", why: "unfinished")
    static let expectation = RequestError(status: .expectationFailed, event: "bad_header", why: "expect")
    /// A request without TLS at a port with TLS.
    public static let plainOnSecurePort = RequestError(
        status: .badRequest, event: "bad_handshake", why: "plain HTTP")
    static let tooManyConnections = RequestError(status: .serviceUnavailable, event: "limit", why: "connections")
    public static let tooManyListeners = RequestError(
        status: .serviceUnavailable, event: "limit", why: "listeners")
    static let memory = RequestError(status: .serviceUnavailable, event: "limit", why: "memory")
}
