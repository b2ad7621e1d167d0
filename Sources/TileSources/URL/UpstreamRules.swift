/// How all layers that ask one upstream host share it. The defaults are those of docs/spec/threats.md 2.
public struct UpstreamRules: Sendable, Hashable {
    /// Requests that wait for a place; one more is `.overloaded` at once.
    public var maxWaiting = 256
    /// The longest that a request waits for a place, in seconds; then it is `.overloaded`.
    public var patience = 5.0
    /// Failures in a row after which the host is left alone: no connection, no response in time, a broken one.
    public var failures = 5
    /// Answers within `window` from which on it is also left alone where at least half of them were failures or errors of
    /// its own (5xx), of different tiles.
    public var sample = 20
    /// Seconds.
    public var window = 10.0
    /// How long it is left alone, in seconds; after that one request tries.
    public var openTime = 10.0

    /// The defaults.
    public init() {}
}

/// What is known of an upstream host at one moment.
public struct UpstreamStatus: Sendable, Hashable {
    /// Whether requests reach the host.
    public enum Breaker: Sendable, Hashable {
        /// Requests go out.
        case closed
        /// No request goes out for these seconds yet; at 0, the next one is the probe.
        case open(secondsLeft: Int)
        /// One request is under way to see whether the host is back; no other goes out.
        case halfOpen

        /// As logs name it.
        public var name: String {
            switch self {
            case .closed: "closed"
            case .open: "open"
            case .halfOpen: "half_open"
            }
        }
    }

    /// The circuit breaker's state.
    public let breaker: Breaker
    /// Failures in a row.
    public let failures: Int
    /// Seconds for which the host wants no request; nil where it did not ask for a pause.
    public let pause: Int?
    /// Requests under way.
    public let inside: Int
    /// Requests under way at most.
    public let width: Int
    /// Requests that wait for a place.
    public let waiting: Int
}
