import Bytes
import HTTPLimits

@testable import HTTPServer

/// The result of parsing a head, as a value that tests can compare.
enum Verdict: Equatable {
    case incomplete
    case accepted(Summary)
    case rejected(status: Status, event: String, why: String)

    struct Summary: Equatable {
        var method: Method
        var target: String
        var fields: [String]
        var framing: BodyFraming
        var keepsAlive: Bool
        var expectsContinue: Bool
        /// Length of the head in bytes, counted from the first received byte.
        var length: Int
    }

    var rejection: (status: Status, event: String)? {
        if case .rejected(let status, let event, _) = self { (status, event) } else { nil }
    }

    var summary: Summary? {
        if case .accepted(let summary) = self { summary } else { nil }
    }
}

extension ServerLimits {
    /// The default limits (docs/spec/threats.md 2).
    static let standard = ServerLimits()
}

/// Scans and parses a head that arrives in `pieces`, in the same way as a connection.
func judge(_ pieces: [[UInt8]], limits: ServerLimits = .standard) -> Verdict {
    var scanner = HeadScanner()
    var bytes: [UInt8] = []
    for piece in pieces {
        bytes += piece
        let step = bytes.withUnsafeBytes { scanner.scan($0, limits: limits) }
        switch step {
        case .incomplete: continue
        case .rejected(let rejection): return Verdict(rejection)
        case .complete(let start, let end): return parse(Array(bytes[start..<end]), end, limits)
        }
    }
    return .incomplete
}

func judge(_ text: String, limits: ServerLimits = .standard) -> Verdict {
    judge([Array(text.utf8)], limits: limits)
}

private func parse(_ head: [UInt8], _ length: Int, _ limits: ServerLimits) -> Verdict {
    let fields = UnsafeMutableBufferPointer<FieldRange>.allocate(capacity: limits.headerCount)
    defer { fields.deallocate() }
    return head.withUnsafeBytes { bytes in
        do throws(RequestError) {
            let parsed = try RequestParser.parse(bytes, fields: fields)
            let lines = fields[..<parsed.fieldCount].map { range in
                let name = String(decoding: bytes[Int(range.nameStart)..<Int(range.nameEnd)], as: UTF8.self)
                return "\(name)=\(String(decoding: range.value(in: bytes), as: UTF8.self))"
            }
            return .accepted(
                Verdict.Summary(
                    method: parsed.method, target: String(decoding: bytes[parsed.target], as: UTF8.self), fields: lines,
                    framing: parsed.framing, keepsAlive: parsed.keepsAlive, expectsContinue: parsed.expectsContinue,
                    length: length))
        } catch {
            return Verdict(error)
        }
    }
}

extension Verdict {
    fileprivate init(_ rejection: RequestError) {
        self = .rejected(status: rejection.status, event: rejection.event, why: rejection.why)
    }
}

/// Returns `text` as Latin-1. Every character must be below U+0100.
func latin1(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
}
