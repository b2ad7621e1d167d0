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
    /// By the cases' positions: each request adds to them.
    private var outcomeCounts = [Int](repeating: 0, count: UpstreamOutcome.allCases.count)
    private var refusalCounts = [Int](repeating: 0, count: UpstreamRefusal.allCases.count)

    /// No entry for what never was.
    package var outcomes: [UpstreamOutcome: Int] { Self.byCase(outcomeCounts) }
    package var refusals: [UpstreamRefusal: Int] { Self.byCase(refusalCounts) }

    mutating func add(_ outcome: UpstreamOutcome) { outcomeCounts[outcome.position] += 1 }

    mutating func add(_ refusal: UpstreamRefusal) { refusalCounts[refusal.position] += 1 }

    private static func byCase<Case: CaseIterable & Hashable>(_ counts: [Int]) -> [Case: Int] {
        Dictionary(uniqueKeysWithValues: zip(Case.allCases, counts).filter { $0.1 > 0 })
    }
}

extension UpstreamOutcome {
    /// Its index in `allCases`.
    fileprivate var position: Int {
        switch self {
        case .tile: 0
        case .noTile: 1
        case .notModified: 2
        case .status: 3
        case .invalid: 4
        case .timeout: 5
        case .failed: 6
        }
    }
}

extension UpstreamRefusal {
    /// Its index in `allCases`.
    fileprivate var position: Int {
        switch self {
        case .overloaded: 0
        case .paused: 1
        case .open: 2
        }
    }
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
