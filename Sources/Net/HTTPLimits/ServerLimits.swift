import Keys

/// The `server.limits` section: what one client, and all together, may take.
///
/// Sizes are in bytes. The defaults of all but `connections` are the same on every machine. What a client gets beyond a limit says
/// docs/spec/threats.md 2.
public struct ServerLimits: Sendable, Equatable {
    /// The longest request line without its CRLF, in 256…65,536 bytes; beyond it 414 and close.
    public var requestLine = 8 << 10
    /// The longest single header line without its CRLF, in 256…65,536 bytes; beyond it 431 and close.
    public var headerLine = 8 << 10
    /// The longest whole head with the empty line that ends it, in 1,024…65,535 bytes; beyond it 431 and close.
    public var head = 32 << 10
    /// The most header lines, in 8…1,000; beyond it 431 and close.
    public var headerCount = 100
    /// From the first byte of a head to its last, for the first request from the accept; 1 ms…1 h; then 408 and close.
    public var headTimeout = Duration.seconds(10)
    /// How long a connection may lie idle between two requests; 1 ms…1 h; then a silent close.
    public var idleTimeout = Duration.seconds(30)
    /// The most requests answered on one connection, in 1…1,000,000,000; the last answer says `Connection: close`.
    public var requestsPerConnection = 1_000
    /// The most bytes read and thrown away of a body that no route asks for, in 0…1,048,576; beyond it 413 and close.
    public var bodyDrain = 64 << 10
    /// How long a client may take no byte of an answer; 1 ms…1 h; then a reset.
    public var writeStall = Duration.seconds(30)
    /// How long a client may take over one whole answer; 1 ms…1 h; then a reset.
    public var responseTimeout = Duration.seconds(120)
    /// The most connections at a time, in 1…1,000,000. Beyond it, the server closes an idle connection or one with an
    /// incomplete request to admit a new one. If there is none, it answers 503. Nil: the smaller of 4,096 and half the
    /// process's limit of descriptors less 128.
    public var connections: Int?
    /// The most clients at a time that listen to `/events`, in 0…1,000,000, and never more than half of the connections; beyond
    /// it 503.
    public var listeners = 1_000
    /// How long a shutdown waits for answers under way; 0 s…1 h. Answers that are not sent by then are cut off.
    public var drain = Duration.seconds(10)

    /// The time after which a connection that sent several requests at once lets others have their turn.
    package var turn = Duration.milliseconds(1)
    /// The time between two heartbeats of a stream: what the standard advises (WHATWG HTML 9.2.7), and half of the shortest times
    /// after which proxies and NATs commonly give up a silent connection (nginx 60 s, many mobile networks 30 s).
    package var heartbeat = Duration.seconds(15)
    /// How long a full server waits for the rest of a request before the connection is overdue.
    package var unfinished = Duration.seconds(1)
    /// How long a full server waits for a client to take a byte of its answer. A client that reads 16 KiB a second tells the
    /// server every few seconds only: when a part of its socket's buffer is free.
    package var unread = Duration.seconds(5)
    /// The time that an idle connection has for one more request once the server stops.
    package var lastRequest = Duration.seconds(1)

    /// The number of connections if `connections` is nil, before the limit of descriptors lowers it.
    package static let standardConnections = 4_096

    /// The defaults.
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
            "maximum number of requests; the last response says `Connection: close`"),
        Key(
            "bodyDrain", \.bodyDrain, .size(0...1_048_576),
            "maximum size of content that no route reads; 413 above it"),
        Key(
            "writeStall", \.writeStall, .duration(time),
            "timeout of a response without progress; then the connection is reset"),
        Key(
            "responseTimeout", \.responseTimeout, .duration(time),
            "timeout of a whole response; then the connection is reset"),
        Key(
            "connections", optional: \.connections, .integer(1...1_000_000), takesNull: true,
            "maximum number of [open connections](operations.md#many-connections). Unset: 4,096, or half of "
                + "the descriptor limit minus 128 if that is less"),
        Key(
            "listeners", \.listeners, .integer(0...1_000_000),
            "maximum number of [event listeners](http.md#events), at most half of `connections`; 503 above it"),
        Key(
            "drain", \.drain, .duration(.zero...Duration.seconds(3_600)),
            "time that a stop waits for responses in progress"),
    ]
}
