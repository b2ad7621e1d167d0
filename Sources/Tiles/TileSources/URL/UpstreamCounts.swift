import Tiles

/// How requests to an upstream host ended, as metrics name it.
public enum UpstreamOutcome: String, Sendable, CaseIterable {
    /// A tile came.
    case tile
    /// The host said that there is none.
    case noTile = "notile"
    /// The host said that the tile which is held is still good (304).
    case notModified = "not_modified"
    /// A status that is neither.
    case status
    /// What came is no image that may be served.
    case invalid
    /// No answer in time.
    case timeout
    /// No answer, or one that broke off or cannot be read.
    case failed
}

/// Why a request to an upstream host did not go out, as metrics name it.
public enum UpstreamRefusal: String, Sendable, CaseIterable {
    /// As many wait as may, or it waited too long; or it went out, and there was no memory for what came.
    case overloaded
    /// The host asked to wait.
    case paused
    /// The circuit is open.
    case open
}

/// The requests to an upstream host since the process began.
package struct UpstreamCounts: Sendable, Equatable {
    /// No entry for what never was.
    package private(set) var outcomes: [UpstreamOutcome: Int] = [:]
    package private(set) var refusals: [UpstreamRefusal: Int] = [:]

    mutating func add(_ outcome: UpstreamOutcome) { outcomes[outcome, default: 0] += 1 }

    mutating func add(_ refusal: UpstreamRefusal) { refusals[refusal, default: 0] += 1 }
}

extension UpstreamOutcome {
    /// That of a request which was answered so; nil where this server had no memory for what came, which says nothing of the host.
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
