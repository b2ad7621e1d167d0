/// Why a tile cannot be had now. Which HTTP status each case becomes is decided in one place, by the server.
public enum Unavailability: Error, Hashable, Sendable {
    /// No answer in time.
    case timeout
    /// The upstream could not be reached, or broke off.
    case unreachable
    /// The upstream answered with this status, which is neither a tile nor "no tile"; seconds it asked to wait, if any.
    case upstreamStatus(Int, retryAfter: Int?)
    /// The upstream's body is not an image that may be served.
    case notAnImage
    /// Too much work is waiting already.
    case overloaded
    /// The layer itself failed, or has no tile for the moment.
    case failed
}
