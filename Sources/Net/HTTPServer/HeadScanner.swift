import Bytes
import Glibc
import HTTPLimits

/// Finds the end of a request's head, which may arrive in pieces. Refuses an invalid byte in the request line, a wrong
/// line end and a head that is too large as early as possible (RFC 9112 2.2, 3, 5; docs/spec/threats.md T07, T08).
///
/// The scanner stores how far it has looked. The next call searches only the new bytes, and a CR before them.
struct HeadScanner: Sendable {
    enum Step: Equatable {
        case incomplete
        /// The head is `bytes[start..<end]`, including the empty line.
        case complete(start: Int, end: Int)
        case rejected(RequestError)
    }

    private var start = 0
    private var lineStart = 0
    private var scanned = 0
    private var lines = 0

    /// Continues the scan. `bytes` must contain all bytes of the last call, and normally further bytes after them.
    mutating func scan(_ bytes: UnsafeRawBufferPointer, limits: ServerLimits) -> Step {
        while true {
            let end = lineEnd(in: bytes)
            if let rejection = check(bytes, until: end ?? bytes.count, limits: limits) { return .rejected(rejection) }
            guard let end else {
                // A CR is checked together with the byte after it.
                scanned = bytes.last == ASCII.cr ? bytes.count - 1 : bytes.count
                return .incomplete
            }
            guard end > lineStart, bytes[end - 1] == ASCII.cr else {
                return .rejected(lines == 0 ? .requestLine("bare_lf") : .header("bare_lf"))
            }
            let isEmpty = end - 1 == lineStart
            scanned = end + 1
            lineStart = scanned
            if !isEmpty {
                lines += 1
            } else if lines > 0 {
                return .complete(start: start, end: scanned)
            } else if start == 0 {
                // One empty line before the request line is ignored (RFC 9112 2.2).
                start = scanned
            } else {
                return .rejected(.requestLine("empty"))
            }
        }
    }

    private func lineEnd(in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let base = bytes.baseAddress, scanned < bytes.count else { return nil }
        guard let found = memchr(base + scanned, Int32(ASCII.lf), bytes.count - scanned) else { return nil }
        return UnsafeRawPointer(found) - base
    }

    /// Checks the current line, even if it is not complete: its length, and the bytes of a request line. For a header
    /// line, checks the size of the head so far and the number of header lines too. `end` is the position of the line's
    /// LF, or the end of the received bytes. Returns nil if nothing is wrong.
    private func check(_ bytes: UnsafeRawBufferPointer, until end: Int, limits: ServerLimits) -> RequestError? {
        let length = end - lineStart - (end > lineStart && bytes[end - 1] == ASCII.cr ? 1 : 0)
        if lines == 0 {
            // A client of a binary protocol is refused by its first bytes, and not only at the deadline.
            for index in scanned..<end where bytes[index] < 0x20 || bytes[index] > 0x7E {
                guard bytes[index] == ASCII.cr, index == end - 1 else { return .requestLine("byte") }
            }
            return length > limits.requestLine ? .limit(.uriTooLong, "request_line") : nil
        }
        if length > limits.headerLine { return .limit(.requestHeaderFieldsTooLarge, "header_line") }
        if end - start >= limits.head { return .limit(.requestHeaderFieldsTooLarge, "head") }
        // `lines` counts the request line and the complete fields, so a non-empty line is one more field.
        if length > 0, lines > limits.headerCount { return .limit(.requestHeaderFieldsTooLarge, "header_count") }
        return nil
    }
}
