import Tiles

/// The result of a request to an upstream host, as metrics name it.
public enum UpstreamOutcome: String, Sendable, CaseIterable {
    /// The host sent a tile.
    case tile
    /// The host has no tile.
    case noTile = "notile"
    /// The host confirmed the tile in the cache (304).
    case notModified = "not_modified"
    /// The host sent another status.
    case status
    /// The host sent a body that is not an image that may be served.
    case invalid
    /// The host did not answer in time.
    case timeout
    /// The host sent no answer, or one that is broken or cannot be read.
    case failed
}

/// The reason why a request to an upstream host did not go out, as metrics name it.
public enum UpstreamRefusal: String, Sendable, CaseIterable {
    /// The queue is full or the wait was too long. Also used if the request went out, but there was no memory for its
    /// response.
    case overloaded
    /// The host asked for a pause.
    case paused
    /// The circuit breaker is open.
    case open
}

/// Numbers of requests to an upstream host since the process began.
package struct UpstreamCounts: Sendable, Equatable {
    /// Numbers by result. A result that never occurred has no entry.
    package private(set) var outcomes: [UpstreamOutcome: Int] = [:]
    package private(set) var refusals: [UpstreamRefusal: Int] = [:]

    mutating func add(_ outcome: UpstreamOutcome) { outcomes[outcome, default: 0] += 1 }

    mutating func add(_ refusal: UpstreamRefusal) { refusals[refusal, default: 0] += 1 }
}

extension UpstreamOutcome {
    /// Determines the result from the answer to a request. Returns nil if this server had no memory for the response,
    /// because that says nothing about the host.
    init?(_ answer: SourceAnswer) {
        switch answer {
        case .result(.tile, _): self = .tile
        case .result(.noTile, _): self = .noTile
        case .notModified: self = .notModified
        case .result(.unavailable(let reason), _):
            switch reason {
            case .upstreamStatus: self = .status
            case .notAnImage, .placeholder: self = .invalid
            case .timeout: self = .timeout
            case .unreachable, .upstreamDown, .backingOff, .offline, .corrupt, .tooComplex, .failed: self = .failed
            case .overloaded: return nil
            }
        }
    }
}
