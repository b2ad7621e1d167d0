import Bytes
import Logging

/// A response to a request. `fields` and `common` are header fields as complete lines, each with its CRLF. The
/// connection adds the status line and fields such as `Date` (unless `isDated` is true), `X-Request-Id` and
/// `Content-Length`. It also adds the fields that `caching` describes.
public struct Response: Sendable {
    public var status: Status
    /// Field lines of this response only.
    public var fields: SharedBytes
    /// Field lines that many responses share in memory.
    public var common: SharedBytes
    public var caching: Caching
    /// The content. Not sent for HEAD, 204 and 304.
    public var body: SharedBytes
    /// True if an HTTP/1.1 connection closes after this response.
    public var closes: Bool
    /// True if `fields` contain the `Date` of the response's origin (RFC 9110 6.6.1).
    public var isDated: Bool
    /// Tag by which the response is counted.
    public var tag: ResponseTag

    public init(
        _ status: Status, fields: SharedBytes = .empty, common: SharedBytes = .empty,
        caching: Caching = Caching(.unsaid), body: SharedBytes = .empty, closes: Bool = false,
        isDated: Bool = false, tag: ResponseTag = ResponseTag()
    ) {
        self.status = status
        self.fields = fields
        self.common = common
        self.caching = caching
        self.body = body
        self.closes = closes
        self.isDated = isDated
        self.tag = tag
    }
}

/// The reply of a responder: a response that is ready, a stream, or work that returns the response later.
public enum Reply: Sendable {
    case ready(Response)
    /// Work that runs on the connection's reactor, so it must not block. Over HTTP/1.1, the responses of a connection
    /// are sent in the order of its requests.
    case pending(@Sendable () async -> Response)
    /// A response whose content is produced over time. If too many streams are open (`ServerLimits.listeners`) or
    /// memory is short, the client gets a 503.
    case stream(ResponseStream)
    /// Work without a task, for responses that mostly become ready on the connection's reactor. The closure starts on
    /// that reactor, so it must not block. It calls its argument exactly once, on any thread, with the response, a
    /// stream or further work. If the client leaves, the closure is not told, and further work is dropped.
    case callback(@Sendable (@escaping @Sendable (Reply) -> Void) -> Void)
}

extension Reply {
    /// Returns this reply with its response replaced by the result of `change`. A stream does not change. `change` runs
    /// on the thread that has the response, and must not block.
    public func mapped(_ change: @escaping @Sendable (Response) -> Response) -> Reply {
        switch self {
        case .ready(let response): .ready(change(response))
        case .pending(let work): .pending { change(await work()) }
        case .callback(let begin): .callback { receive in begin { receive($0.mapped(change)) } }
        case .stream: self
        }
    }

    /// Returns a reply that continues this one with more work. `rest` gets the response of this reply and returns the
    /// work, whose result replaces the response. If `rest` returns nil, the response does not change. A stream never
    /// changes.
    public func continued(
        _ rest: @escaping @Sendable (Response) -> (@Sendable () async -> Response)?
    ) -> Reply {
        switch self {
        case .ready(let response): rest(response).map { .pending($0) } ?? self
        case .pending(let work):
            .pending {
                let response = await work()
                return await rest(response)?() ?? response
            }
        case .callback(let begin): .callback { receive in begin { receive($0.continued(rest)) } }
        case .stream: self
        }
    }

    /// Returns this reply with `local` set to `value` while its work runs.
    public func with<Value: Sendable>(_ value: Value, as local: TaskLocal<Value>) -> Reply {
        switch self {
        case .ready, .stream: self
        case .pending(let work): .pending { await local.withValue(value) { await work() } }
        case .callback(let begin):
            .callback { receive in
                local.withValue(value) { begin { receive($0.with(value, as: local)) } }
            }
        }
    }

    /// The tag, if it is known before the work is done. Otherwise an empty tag.
    var knownTag: ResponseTag {
        switch self {
        case .ready(let response): response.tag
        case .stream(let stream): stream.head.tag
        case .pending, .callback: ResponseTag()
        }
    }
}

/// Decides how requests are answered. The server handles HTTP itself and asks its responder for everything else.
public protocol Responder: Sendable {
    /// Returns the reply to `request`. The server calls this on its reactors, on several at the same time. The method
    /// must not block. `request` is valid only during the call.
    func reply(to request: Request) -> Reply

    /// Returns an error response if `request` would fail with any content. Returns nil if the server should read the
    /// content. Called like `reply`, and only if the client expects `100 Continue` before it sends the content (RFC
    /// 9110 10.1.1).
    func refusalBeforeContent(of request: Request) -> Response?

    /// Decides whether the content of `request` is read, passed to a reader or refused. Called like `reply`, before any
    /// content is read.
    func contentPlan(for request: Request) -> ContentPlan

    /// Reports whether `request` is answered even if the server has no free connections. Called like `reply`, and only
    /// for a client on this machine.
    func servesWhenFull(_ request: Request) -> Bool

    /// Returns the response to a request that the server itself refuses, in the style of the responder's other errors.
    func refusal(_ rejection: RequestError) -> Response

    /// Returns the request id to use for `request`, which has an `X-Request-Id` field. Returns nil to use the server's
    /// own number. Called like `reply`.
    func requestID(of request: Request) -> SharedBytes?

    /// Reports whether `response` counts as an error in the access log. Called like `reply`.
    func isError(_ response: Response) -> Bool

    /// Returns the access log fields for `request`. Called like `reply`.
    func logFields(of request: Request) -> Logger.Metadata

    /// Returns the access log fields for a response with `tag`. Called like `reply`.
    func logFields(of tag: ResponseTag) -> Logger.Metadata
}

extension Responder {
    /// Returns nil: all content is needed.
    public func refusalBeforeContent(of request: Request) -> Response? { nil }

    /// Returns `.drain`: content is read up to the limit.
    public func contentPlan(for request: Request) -> ContentPlan { .drain }

    /// Returns true for every request.
    public func servesWhenFull(_ request: Request) -> Bool { true }

    /// Returns nil: no client's request id is used.
    public func requestID(of request: Request) -> SharedBytes? { nil }

    /// Returns true for the status classes 4xx and 5xx, except for a client that left.
    public func isError(_ response: Response) -> Bool {
        response.status.rawValue >= 400 && response.status != .clientClosedRequest
    }

    /// Returns `Request.logFields`.
    public func logFields(of request: Request) -> Logger.Metadata { request.logFields }

    /// Returns no fields.
    public func logFields(of tag: ResponseTag) -> Logger.Metadata { [:] }
}
