/// What one client may ask of the server. Sizes in bytes, times in seconds; the defaults and what a client gets beyond
/// them are those of docs/spec/threats.md 2.
public struct Limits: Sendable, Equatable {
    /// The request line without its CRLF; beyond: 414.
    public var requestLine = 8_192
    /// One field line without its CRLF; beyond: 431.
    public var headerLine = 8_192
    /// The whole head with the empty line that ends it; at most 65,535; beyond: 431.
    public var head = 32_768
    /// Field lines of one head; beyond: 431.
    public var headerCount = 100
    /// From the first byte of a head to its last, and from the start of a connection to its first head; beyond: 408.
    public var headTimeout = 10.0
    /// Between two requests of one connection; beyond: the connection is closed.
    public var idleTimeout = 30.0
    /// Requests of one connection; the last answer says `Connection: close`.
    public var requestsPerConnection = 1_000
    /// Bytes of a request body that are read and thrown away; beyond: 413.
    public var bodyDrain = 65_536
    /// Without a byte taken by the client while an answer waits; beyond: the connection is reset.
    public var writeStall = 30.0
    /// From the start of an answer to its last byte; beyond: the connection is reset.
    public var responseTimeout = 120.0
    /// Open connections, lowered to what the process's descriptors allow. Beyond, a connection of the address that
    /// holds most is closed: the one idle longest, the oldest whose request is arriving, or one that takes nothing of its answer;
    /// where all are being answered: 503.
    /// Eight more are kept for clients on this machine.
    public var connections = 4_096
    /// Streamed answers at a time, at most half of the connections, so that listeners never keep all others out; beyond: 503.
    public var listeners = 1_000
    /// Between the order to stop and the end; what is not answered by then is cut off.
    public var drain = 10.0

    /// The time after which a connection that sent several requests at once lets others have their turn.
    var turn = 0.001
    /// Seconds between two heartbeats of a stream: what the standard advises (WHATWG HTML 9.2.7), and half of the shortest times
    /// after which proxies and NATs commonly give up a silent connection (nginx 60 s, many mobile networks 30 s).
    var heartbeat = 15.0
    /// Seconds for which a full server waits for the rest of a request before the connection is overdue.
    var unfinished = 1.0
    /// Seconds for which a full server waits for a client to take a byte of its answer. A client that reads 16 KiB a second tells the
    /// server every few seconds only: when a part of its socket's buffer is free.
    var unread = 5.0
    /// What an idle connection has for one more request once the server stops.
    var lastRequest = 1.0

    public init() {}
}
