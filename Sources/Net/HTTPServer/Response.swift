import Bytes
import Logging

/// An answer. `fields` and `common` are complete field lines, each with its CRLF; the connection adds the status line,
/// `Date` (unless it `isDated`), `X-Request-Id`, `Content-Length`, `Connection` and what `caching` says.
public struct Response: Sendable {
    public var status: Status
    /// The field lines of this answer.
    public var fields: SharedBytes
    /// Field lines that many answers share, kept once.
    public var common: SharedBytes
    public var caching: Caching
    /// The content; not sent for HEAD, 204 and 304.
    public var body: SharedBytes
    /// The connection ends with this answer.
    public var closes: Bool
    /// `fields` have a `Date`, that of the answer's source (RFC 9110 6.6.1).
    public var isDated: Bool
    /// What the answer is counted by.
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

/// An answer that is ready, or the way to it.
public enum Reply: Sendable {
    case ready(Response)
    /// Runs on the connection's reactor, so it must not block; the answers of one connection keep the order of its requests.
    case pending(@Sendable () async -> Response)
    /// An answer whose content comes bit by bit; 503 instead where there are as many as `ServerLimits.listeners` allows.
    case stream(ResponseStream)
    /// Begun on the connection's reactor, so it must not block either. It calls what it is given, exactly once, on any thread, with
    /// the answer, or with what is left to do for it: without a task, for answers that mostly end on that reactor. It does not
    /// hear of a client that leaves; what is left is not done then.
    case callback(@Sendable (@escaping @Sendable (Reply) -> Void) -> Void)
}

extension Reply {
    /// This reply, with what `change` makes of the answer, whenever that comes. A stream stays as it is. `change` runs on the thread
    /// that has the answer, and must not block.
    public func mapped(_ change: @escaping @Sendable (Response) -> Response) -> Reply {
        switch self {
        case .ready(let response): .ready(change(response))
        case .pending(let work): .pending { change(await work()) }
        case .callback(let begin): .callback { receive in begin { receive($0.mapped(change)) } }
        case .stream: self
        }
    }

    /// This reply, with what comes of the work that `rest` names for the answer; nil: the answer stays. A stream stays as it is.
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

    /// This reply, whose work sees `value` as the value of `local`, whenever it is done.
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

    /// What the answer is counted by, as far as that is known before the rest is done.
    var knownTag: ResponseTag {
        switch self {
        case .ready(let response): response.tag
        case .stream(let stream): stream.head.tag
        case .pending, .callback: ResponseTag()
        }
    }
}

/// What answers requests: the seam between HTTP and everything that this server is about.
public protocol Responder: Sendable {
    /// Called on a reactor's queue, from several at once; must not block. `request` is valid only during the call.
    func reply(to request: Request) -> Reply

    /// The answer to `request` where it is an error whatever the content, which has not come yet; nil where the content is
    /// wanted. Called as `reply` is, for a client that waits for `100 Continue` (RFC 9110 10.1.1).
    func refusalBeforeContent(of request: Request) -> Response?

    /// What becomes of the content of `request`, which has some. Called as `reply` is, before any of it is read.
    func contentPlan(for request: Request) -> ContentPlan

    /// Whether `request` is answered although the server is full, where a client on this machine sends it. Called as `reply`
    /// is.
    func servesWhenFull(_ request: Request) -> Bool

    /// The answer to a request that the server itself refuses, framed as the rest of the responder's errors are.
    func refusal(_ rejection: RequestError) -> Response

    /// What to call `request`, which has an `X-Request-Id`, in place of its number; nil: the number will do. Called as `reply` is.
    func requestID(of request: Request) -> SharedBytes?

    /// Whether `response` is an error to whoever reads the access log. Called as `reply` is.
    func isError(_ response: Response) -> Bool

    /// What the access log says of `request`. Called as `reply` is.
    func logFields(of request: Request) -> Logger.Metadata

    /// What the access log says of an answer with `tag`. Called as `reply` is.
    func logFields(of tag: ResponseTag) -> Logger.Metadata
}

extension Responder {
    /// All content is wanted.
    public func refusalBeforeContent(of request: Request) -> Response? { nil }

    /// It is read up to the limit.
    public func contentPlan(for request: Request) -> ContentPlan { .drain }

    /// Every request is.
    public func servesWhenFull(_ request: Request) -> Bool { true }

    /// Nobody is believed.
    public func requestID(of request: Request) -> SharedBytes? { nil }

    /// Those of the classes 4xx and 5xx are; a client that leaves is none.
    public func isError(_ response: Response) -> Bool {
        response.status.rawValue >= 400 && response.status != .clientClosedRequest
    }

    /// What any log line says of it.
    public func logFields(of request: Request) -> Logger.Metadata { request.logFields }

    /// Nothing is.
    public func logFields(of tag: ResponseTag) -> Logger.Metadata { [:] }
}
