import Bytes
import HTTPLimits

@testable import HTTPClient
@testable import HTTPServer
@testable import TileSources
@testable import Tiles

extension FuzzTarget {
    /// Reads a head whole, in two pieces and byte by byte. The verdict must be the same.
    static func readHead(_ bytes: UnsafeRawBufferPointer) {
        let whole = verdict(on: bytes, cuts: [])
        let half = verdict(on: bytes, cuts: [bytes.count / 2])
        let single = bytes.count <= 512 ? verdict(on: bytes, cuts: Array(0..<bytes.count)) : whole
        check(whole == half && whole == single, "\(whole), in two \(half), byte by byte \(single)")
    }

    /// Returns the verdict on a head that arrives in pieces, which end at `cuts`.
    private static func verdict(on bytes: UnsafeRawBufferPointer, cuts: [Int]) -> String {
        let limits = ServerLimits()
        var scanner = HeadScanner()
        for end in cuts + [bytes.count] {
            switch scanner.scan(UnsafeRawBufferPointer(rebasing: bytes[..<end]), limits: limits) {
            case .incomplete: continue
            case .rejected(let rejection): return "\(rejection.status)"
            case .complete(let start, let end):
                return parsed(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), limits)
            }
        }
        return "incomplete"
    }

    private static func parsed(_ head: UnsafeRawBufferPointer, _ limits: ServerLimits) -> String {
        let fields = UnsafeMutableBufferPointer<FieldRange>.allocate(capacity: limits.headerCount)
        defer { fields.deallocate() }
        do throws(RequestError) {
            let parsed = try RequestParser.parse(head, fields: fields)
            check(parsed.fieldCount <= limits.headerCount, "too many fields")
            let lengths = fields[..<parsed.fieldCount].map { $0.value(in: head).count }
            return "\(parsed.method) \(parsed.target) \(parsed.framing) \(parsed.keepsAlive) \(lengths)"
        } catch {
            return "\(error.status)"
        }
    }

    /// Reads a body in pieces. The first byte gives the size of the pieces, which must not change the result.
    static func readBody(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.first else { return }
        let rest = UnsafeRawBufferPointer(rebasing: bytes[1...])
        let whole = content(of: rest, pieces: rest.count)
        let parts = content(of: rest, pieces: Int(first) + 1)
        check(whole == parts, "\(whole) in one piece, \(parts) in several")
    }

    private static func content(of bytes: UnsafeRawBufferPointer, pieces length: Int) -> String {
        var drain = BodyDrain(.chunked, limit: 4_096, keeps: true)
        var start = 0
        while start < bytes.count {
            let piece = UnsafeRawBufferPointer(rebasing: bytes[start...].prefix(max(length, 1)))
            let (used, step) = drain.take(piece)
            check(used <= piece.count, "took \(used) of \(piece.count) bytes")
            start += used
            switch step {
            case .incomplete: check(used == piece.count, "left bytes although more are wanted")
            case .complete: return "complete at \(start): \(drain.content ?? [])"
            case .rejected(let rejection): return "\(rejection.status)"
            }
        }
        return "incomplete"
    }

    /// Reads lines: `Cache-Control`, `Expires`, `Date`, `Age` and `Vary`.
    static func readTerms(_ bytes: UnsafeRawBufferPointer) {
        let lines = bytes.split(separator: 0x0A, maxSplits: 4, omittingEmptySubsequences: false).map(text)
        func line(_ index: Int) -> String? { lines.indices.contains(index) ? lines[index] : nil }
        var headers = UpstreamHeaders()
        headers.cacheControl = line(0)
        headers.expires = line(1)
        headers.date = line(2)
        headers.age = line(3)
        headers.vary = line(4)
        let terms = SourceTerms(headers, now: 1_700_000_000, delay: 3)
        check(terms.age >= 0, "an age of \(terms.age) seconds")
        if case .seconds(let seconds) = terms.lifetime { check(seconds >= 0, "a life of \(seconds) seconds") }
    }

    /// Reads a date. A date that is read must survive formatting.
    static func readDate(_ bytes: UnsafeRawBufferPointer) {
        guard let seconds = HTTPDate.parse(bytes, now: 1_700_000_000) else { return }
        let again = HTTPDate.parse(HTTPDate.format(seconds).utf8, now: 1_700_000_000)
        check(again == seconds, "\(seconds) became \(String(describing: again))")
    }
}
