/// The limits for requests to one upstream host, for example the length of its queue. All layers of the host share
/// these limits. The defaults are those of docs/spec/threats.md 2.
package struct UpstreamRules: Sendable, Hashable {
    /// Maximum number of requests that wait for a slot. Further requests are `.overloaded` at once.
    package var maxWaiting = 256
    /// Maximum wait for a slot in seconds. After that the request is `.overloaded`.
    package var queueTimeout = 5.0
    /// Number of failures in a row after which the breaker opens. Failures are: no connection, no response in time, a
    /// broken response.
    package var failures = 5
    /// Minimum number of answers within `window` for opening the breaker if at least half of them are failures of
    /// different tiles. Also the minimum number of failures and errors (5xx) for opening it if no good answer has come
    /// for `silence`.
    package var sample = 20
    /// Seconds for which an answer counts.
    package var window = 10.0
    /// Seconds without a good answer after which errors count against the host.
    package var silence = 10.0
    /// Seconds for which the host is not asked after failures. Then one request probes it.
    package var openTime = 10.0
    /// Seconds between two probes while the host sends errors.
    package var probePause = 0.5

    /// Makes the default rules.
    package init() {}
}

/// The state of an upstream host at one moment, for reports and metrics.
package struct UpstreamStatus: Sendable, Hashable {
    /// The state of the circuit breaker, which stops requests to a host that does not work.
    package enum Breaker: Sendable, Hashable {
        /// Requests go out.
        case closed
        /// No request goes out for these seconds. At 0, the next request is the probe.
        case open(secondsLeft: Int)
        /// One request at a time tests whether the host works again. No other request goes out.
        case halfOpen

        /// The name in logs.
        package var name: String {
            switch self {
            case .closed: "closed"
            case .open: "open"
            case .halfOpen: "half_open"
            }
        }
    }

    /// The state of the circuit breaker.
    package let breaker: Breaker
    /// Number of failures in a row.
    package let failures: Int
    /// Remaining seconds of the pause that the host asked for. Nil if it did not ask for one.
    package let pause: Int?
    /// Number of requests under way.
    package let inside: Int
    /// Maximum number of requests under way.
    package let width: Int
    /// Number of requests that wait for a slot.
    package let waiting: Int
}
