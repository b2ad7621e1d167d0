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
    /// The upstream's image is one that means "not available", as the operator knows by its hash.
    case placeholder
    /// The upstream fails, or asked to wait, and is left alone for these seconds: this tile was not asked for.
    case upstreamDown(retryAfter: Int)
    /// The tile failed a moment ago and is left alone for these seconds: it was not asked for.
    case backingOff(retryAfter: Int)
    /// The layer is offline, and the cache does not hold the tile.
    case offline
    /// The source holds something here that is no tile and will not become one by asking again.
    case corrupt
    /// There is more in the tile than can be drawn in a reasonable time, now and later.
    case tooComplex
    /// Too much work is waiting already.
    case overloaded
    /// The layer itself failed, or has no tile for the moment.
    case failed

    /// Whether that was said without asking for the tile: how long it took says nothing of the source.
    package var isUnasked: Bool {
        switch self {
        case .upstreamDown, .backingOff, .offline, .overloaded: true
        case .timeout, .unreachable, .upstreamStatus, .notAnImage, .placeholder, .corrupt, .tooComplex, .failed: false
        }
    }
}
