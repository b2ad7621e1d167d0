import Keys

/// The `server.limits` section: limits for a single client and for all clients together.
///
/// Sizes are in bytes. All defaults except `connections` are equal on every machine. After a 413, 414 or 431 for a
/// limit, an HTTP/1.1 connection closes. docs/spec/threats.md 2 says how the server reacts to a client beyond a limit.
public struct ServerLimits: Sendable, Equatable {
    /// Maximum length of the request line without its CRLF, in 256…65,536 bytes. Beyond it: 414. Over HTTP/2, limits
    /// the path with its query.
    public var requestLine = 8 << 10
    /// Maximum length of a header line without its CRLF, in 256…65,536 bytes. Beyond it: 431.
    public var headerLine = 8 << 10
    /// Maximum length of the head including its empty line, in 1,024…65,535 bytes. Beyond it: 431.
    public var head = 32 << 10
    /// Maximum number of header lines, in 8…1,000. Beyond it: 431.
    public var headerCount = 100
    /// Maximum time from the first byte of a head to its last, in 1 ms…1 h. For the first request, the time starts at
    /// the accept, or at the end of the TLS handshake, which has the same time. Content has the same time too, or each
    /// piece of it if a `ContentReader` takes the content. After it, an HTTP/1.1 connection closes, with 408 if a byte
    /// of the request arrived. Over HTTP/2, late content gets a 408, and a late head ends the connection.
    public var headTimeout = Duration.seconds(10)
    /// Maximum idle time between two requests, in 1 ms…1 h. After it, the connection closes without a response.
    public var idleTimeout = Duration.seconds(30)
    /// Maximum number of requests per HTTP/1.1 connection, in 1…1,000,000,000. The last response has
    /// `Connection: close`. HTTP/2 connections have no such limit.
    public var requestsPerConnection = 1_000
    /// Maximum bytes of request content that no `ContentReader` takes, in 0…1,048,576. The server keeps the content of
    /// a POST for the reply, and discards other content. Beyond it: 413.
    public var bodyDrain = 64 << 10
    /// Maximum time for which a client takes no byte of a response (over HTTP/2: less than 1 KiB), in 1 ms…1 h. After
    /// it: the connection, or a stream of HTTP/2, is reset.
    public var writeStall = Duration.seconds(30)
    /// Maximum time for a client to take a whole response, in 1 ms…1 h. After it: the connection, or a stream of
    /// HTTP/2, is reset. `/events` has no such limit.
    public var responseTimeout = Duration.seconds(120)
    /// Maximum number of connections, in 1…1,000,000. Beyond it, the server closes a connection that waits for its
    /// client to admit a new one. If there is none, the new connection is refused, without TLS by a 503. Nil means
    /// 4,096. `HTTPServer` lowers the number if the process has too few descriptors or too little memory.
    public var connections: Int?
    /// Maximum number of clients that listen to `/events`, in 0…1,000,000, and at most half of the connections. Beyond
    /// it: 503.
    public var listeners = 1_000
    /// Maximum number of open streams of an HTTP/2 connection, in 1…1,000. The server announces it, and closes the
    /// connection of a client that has acknowledged it and opens more. A reset stream counts until its work has ended.
    /// If there are too many of these, the server refuses a stream, and the client may send the request again.
    public var streams = 128
    /// Number of streams that an HTTP/2 client may reset at once, in 1…1,000,000. A tenth of it is added each second.
    /// Beyond it, the server closes the connection.
    public var resets = 200
    /// Maximum time that a shutdown waits for responses in progress, in 0 s…1 h. Unfinished responses are then cut off.
    public var drain = Duration.seconds(10)

    /// Age at which an HTTP/2 connection is asked to end. New connections then spread over the servers behind a load
    /// balancer.
    package var connectionAge = Duration.seconds(3_600)
    /// Time that the GOAWAY of such a connection waits for a quiet moment at most.
    package var agedDeparture = Duration.seconds(60)
    /// Time that the GOAWAY of an HTTP/2 connection waits for a quiet moment at most when the server begins to stop,
    /// but not more than a quarter of `drain`.
    package var departure = Duration.milliseconds(2_500)
    /// Time without a request after which an HTTP/2 connection is quiet.
    package var quiet = Duration.milliseconds(250)
    /// Maximum time of a turn, after which a connection with several requests lets other connections run.
    package var turn = Duration.milliseconds(1)
    /// Interval between two heartbeats of a stream, as the standard recommends (WHATWG HTML 9.2.7). It is half of the
    /// shortest time after which proxies and NATs usually drop a silent connection (many mobile networks 30 s, nginx 60
    /// s).
    package var heartbeat = Duration.seconds(15)
    /// Time that a full server waits for the rest of a request before the connection is overdue.
    package var unfinished = Duration.seconds(1)
    /// Time that a full server waits for a client to take a byte of its response, or 1 KiB over HTTP/2. The kernel
    /// learns of a slow client's progress only in steps, which may take seconds.
    package var unread = Duration.seconds(5)
    /// Time that an idle connection has for one more request after the server begins to stop.
    package var lastRequest = Duration.seconds(1)

    /// Number of connections if `connections` is nil, before `HTTPServer` lowers it.
    package static let standardConnections = 4_096

    /// Creates the default limits.
    public init() {}
}

extension ServerLimits: KeyedSettings {
    private static let time = Duration.milliseconds(1)...Duration.seconds(3_600)

    package static let keys: [Key<ServerLimits>] = [
        Key("requestLine", \.requestLine, .size(256...65_536), "maximum size of a request line; 414 above it"),
        Key("headerLine", \.headerLine, .size(256...65_536), "maximum size of one header line; 431 above it"),
        Key("head", \.head, .size(1_024...65_535), "maximum size of a request head; 431 above it"),
        Key("headerCount", \.headerCount, .integer(8...1_000), "maximum number of headers; 431 above it"),
        Key(
            "headTimeout", \.headTimeout, .duration(time),
            "timeout for a request head, from its first byte to its last; then 408"),
        Key("idleTimeout", \.idleTimeout, .duration(time), "timeout between two requests; then the connection closes"),
        Key(
            "requestsPerConnection", \.requestsPerConnection, .integer(1...1_000_000_000),
            "maximum number of HTTP/1.1 requests; the last response says `Connection: close`"),
        Key(
            "bodyDrain", \.bodyDrain, .size(0...1_048_576),
            "maximum size of content that no route reads; 413 above it"),
        Key(
            "writeStall", \.writeStall, .duration(time),
            "longest time in which a client takes nothing of a response; then the connection, or the HTTP/2 stream, is "
                + "reset"),
        Key(
            "responseTimeout", \.responseTimeout, .duration(time),
            "timeout of a whole response; then the connection, or the HTTP/2 stream, is reset"),
        Key(
            "connections", optional: \.connections, .integer(1...1_000_000), takesNull: true,
            "maximum number of [open connections](../guides/limits.md#connections). Unset: 4,096, or half of "
                + "the descriptor limit minus 128 if that is less"),
        Key(
            "listeners", \.listeners, .integer(0...1_000_000),
            "maximum number of [event listeners](http.md#events), at most half of `connections`; 503 above it"),
        Key(
            "streams", \.streams, .integer(1...1_000),
            "maximum number of open streams (requests) of an HTTP/2 connection, including canceled ones that the "
                + "server still works on; further streams are refused"),
        Key(
            "resets", \.resets, .integer(1...1_000_000),
            "number of requests that an HTTP/2 client may cancel at once; a tenth of it is added each second. Beyond "
                + "it, the connection closes"),
        Key(
            "drain", \.drain, .duration(.zero...Duration.seconds(3_600)),
            "time that a stop waits for responses in progress"),
    ]
}
