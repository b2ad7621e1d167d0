import Synchronization

/// Counts of HTTP/2, such as connections, requests and resets, for all workers together. Thread rule: any thread.
public final class HTTP2Counts: Sendable {
    /// A counter that only grows.
    public final class Counter: Sendable {
        private let count = Atomic<Int>(0)

        /// Number of times since the start.
        public var value: Int { count.load(ordering: .relaxed) }

        func add() { count.add(1, ordering: .relaxed) }
    }

    /// Connections that spoke HTTP/2.
    public let connections = Counter()
    /// Requests over HTTP/2.
    public let requests = Counter()
    /// RST_STREAM frames of clients.
    public let clientResets = Counter()
    /// Streams that the server has reset.
    public let ownResets = Counter()
    /// Requests that were refused with REFUSED_STREAM, because too many streams still worked or memory was short.
    public let refused = Counter()
    /// Connections that were closed because of too many resets.
    public let floods = Counter()
}
