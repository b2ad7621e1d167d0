/// How all layers that ask one upstream host share it. The defaults are those of docs/spec/threats.md 2.
package struct UpstreamRules: Sendable, Hashable {
    /// Requests that wait for a slot; one more is `.overloaded` at once.
    package var maxWaiting = 256
    /// The longest that a request waits for a slot, in seconds; then it is `.overloaded`.
    package var queueTimeout = 5.0
    /// Failures in a row after which the host is left alone: no connection, no response in time, a broken one.
    package var failures = 5
    /// Answers within `window` after which the host is also left alone, if at least half of them are failures of different
    /// tiles. Also the number of failures and errors (5xx) after which it is left alone, if nothing else has come for
    /// `silence`.
    package var sample = 20
    /// Seconds for which an answer counts.
    package var window = 10.0
    /// Seconds without a good answer after which errors count against the host.
    package var silence = 10.0
    /// Seconds for which the host is left alone after failures. Then one request probes it.
    package var openTime = 10.0
    /// Seconds between two probes while the host sends errors.
    package var probePause = 0.5

    /// The defaults.
    package init() {}
}

/// What is known of an upstream host at one moment.
package struct UpstreamStatus: Sendable, Hashable {
    /// Whether requests reach the host.
    package enum Breaker: Sendable, Hashable {
        /// Requests go out.
        case closed
        /// No request goes out for these seconds yet; at 0, the next one is the probe.
        case open(secondsLeft: Int)
        /// One request at a time probes whether the host is back. No other request goes out.
        case halfOpen

        /// As logs name it.
        package var name: String {
            switch self {
            case .closed: "closed"
            case .open: "open"
            case .halfOpen: "half_open"
            }
        }
    }

    /// The circuit breaker's state.
    package let breaker: Breaker
    /// Failures in a row.
    package let failures: Int
    /// Seconds for which the host wants no request; nil where it did not ask for a pause.
    package let pause: Int?
    /// Requests under way.
    package let inside: Int
    /// Requests under way at most.
    package let width: Int
    /// Requests that wait for a slot.
    package let waiting: Int
}
