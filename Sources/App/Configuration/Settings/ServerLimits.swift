/// The `server.limits` section: what one client, and all together, may take.
///
/// Sizes are in bytes. The defaults of all but `connections` are the same on every machine.
public struct ServerLimits: Sendable, Equatable {
    /// The longest request line, in 256…65,536 bytes; beyond it 414 and close.
    public var requestLine = 8 << 10
    /// The longest single header line, in 256…65,536 bytes; beyond it 431 and close.
    public var headerLine = 8 << 10
    /// The longest whole head, in 1,024…65,535 bytes; beyond it 431 and close.
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
    /// How long a shutdown waits for answers under way; 0 s…1 h.
    public var drain = Duration.seconds(10)

    /// The defaults.
    public init() {}
}
