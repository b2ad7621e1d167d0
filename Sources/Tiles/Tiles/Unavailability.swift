/// The reason why a tile is not available now. A client gets an HTTP status for each reason, and one place in the
/// server chooses it.
public enum Unavailability: Error, Hashable, Sendable {
    /// The source did not answer in time.
    case timeout
    /// The upstream could not be reached, or its response was broken or not allowed.
    case unreachable
    /// The upstream answered with this status, which means neither a tile nor "no tile". `retryAfter` is the wait in
    /// seconds that the upstream asked for, if any.
    case upstreamStatus(Int, retryAfter: Int?)
    /// The source's data is not an image that may be served.
    case notAnImage
    /// The source's image means "not available". The operator has configured its hash.
    case placeholder
    /// The source fails, is too slow, or asked for a pause, so it is not asked for these seconds. This tile was not
    /// requested.
    case upstreamDown(retryAfter: Int)
    /// The tile failed a moment ago and is not requested again for these seconds.
    case backingOff(retryAfter: Int)
    /// The layer is offline, and the cache does not hold the tile.
    case offline
    /// The source holds invalid data here, and another request would not help.
    case corrupt
    /// The tile contains too much to draw it in a reasonable time, now and later.
    case tooComplex
    /// Too much work is already waiting, memory is short, or the work was cancelled.
    case overloaded
    /// The layer itself failed, or has no tile at the moment.
    case failed

    /// True if the reason says nothing about the source, for example because the tile was not requested. The duration
    /// of such an answer is not recorded.
    package var isUnasked: Bool {
        switch self {
        case .upstreamDown, .backingOff, .offline, .overloaded: true
        case .timeout, .unreachable, .upstreamStatus, .notAnImage, .placeholder, .corrupt, .tooComplex, .failed: false
        }
    }
}
