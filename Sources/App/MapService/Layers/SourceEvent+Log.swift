import EventLog
import HTTPClient
import Logging
import Raster
import TileSources

extension SourceEvent {
    /// The name of the log event (docs/spec/threats.md 4).
    package var name: String {
        switch self {
        case .failure(.timeout): "upstream_timeout"
        case .failure(.short): "upstream_short"
        case .failure(.tls): "upstream_tls"
        case .failure(.redirect): "upstream_redirect"
        case .failure(.denied): "upstream_denied"
        case .failure(.badHead), .failure(.tooLarge(.head, _)): "upstream_bad_head"
        case .failure(.tooLarge(.body, _)): "upstream_too_large"
        case .failure(.noMemory): "shed"
        case .failure: "upstream_failed"
        case .status, .paused: "upstream_status"
        case .absent: "upstream_neg"
        case .notAnImage(.unknownFormat): "upstream_not_image"
        case .notAnImage: "bad_png"
        case .placeholder: "upstream_placeholder"
        case .retried: "upstream_retry"
        case .down: "upstream_down"
        case .overloaded: "shed"
        case .unreadable, .notAFile, .fileTooLarge: "file_unreadable"
        }
    }

    package var level: Logger.Level {
        switch self {
        case .absent, .retried: .info
        // A change of the circuit breaker has its own log line, and so has every unavailable tile.
        case .down: .debug
        // The upstream refuses the key, and the operator must correct it.
        case .status(401, _), .status(403, _): .error
        default: .warning
        }
    }

    /// Maximum rate of the event's log lines.
    var pace: EventLog.Pace {
        level == .error ? .oncePerMinute : .tenPerSecond
    }

    /// The values of the event for the log line.
    package var fields: Logger.Metadata {
        switch self {
        case .failure(let failure): failure.fields
        case .status(let code, let wait):
            wait.map { ["code": .stringConvertible(code), "retry_after": .stringConvertible($0)] }
                ?? ["code": .stringConvertible(code)]
        case .absent(let status): ["code": .stringConvertible(status)]
        case .paused(let seconds), .down(let seconds): ["retry_after": .stringConvertible(seconds)]
        case .notAnImage(let error): ["why": "\(error.kind)", "found": "\(error)"]
        case .unreadable(let call, let errno): ["why": "\(call)", "errno": .stringConvertible(errno)]
        case .notAFile: ["why": "not_a_file"]
        case .fileTooLarge(let limit): ["why": "size", "limit": .stringConvertible(limit)]
        case .placeholder, .retried, .overloaded: [:]
        }
    }
}

extension UpstreamError {
    fileprivate var fields: Logger.Metadata {
        switch self {
        case .timeout(let phase): ["phase": "\(phase.rawValue)"]
        case .tooLarge(let part, let limit): ["what": "\(part.rawValue)", "limit": .stringConvertible(limit)]
        case .denied(let address): ["reason": "\(address)"]
        case .noMemory: ["why": "memory"]
        case .connect, .tls, .redirect, .badHead, .short, .badEncoding, .range, .badURL, .other: ["why": "\(self)"]
        }
    }
}

extension ImageHeaderError {
    /// The value of `why` in the log line.
    fileprivate var kind: String {
        switch self {
        case .unknownFormat: "format"
        case .dimensions: "dim"
        case .depth: "depth"
        case .checksum: "crc"
        case .structure, .truncated: "struct"
        }
    }
}
