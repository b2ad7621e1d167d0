import Synchronization

/// The numbers of connections, requests and resets of HTTP/2, for all workers together. Thread rule: any thread.
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
    /// Streams that clients have reset.
    public let clientResets = Counter()
    /// Streams that the server has reset.
    public let ownResets = Counter()
    /// Requests that were refused because too many streams were open or still worked.
    public let refused = Counter()
    /// Connections that were closed because of too many resets.
    public let floods = Counter()
}
