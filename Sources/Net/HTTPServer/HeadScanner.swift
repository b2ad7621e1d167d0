import Bytes
import Glibc
import HTTPLimits

/// Finds the end of a request head in bytes that arrive in pieces, and refuses as early as it can what no head can
/// begin with or what is too large (RFC 9112 2.2, 3, 5; docs/spec/threats.md T07, T08).
///
/// A value of a few numbers: it remembers how far it looked, so that no byte but a CR is looked at twice however it arrives.
struct HeadScanner: Sendable {
    enum Step: Equatable {
        case incomplete
        /// The head is `bytes[start..<end]`, the empty line included.
        case complete(start: Int, end: Int)
        case rejected(RequestError)
    }

    private var start = 0
    private var lineStart = 0
    private var scanned = 0
    private var lines = 0

    /// Looks at `bytes`, which begin where they began at the last call and hold at least as much.
    mutating func scan(_ bytes: UnsafeRawBufferPointer, limits: ServerLimits) -> Step {
        while true {
            let end = lineEnd(in: bytes)
            if let rejection = check(bytes, until: end ?? bytes.count, limits: limits) { return .rejected(rejection) }
            guard let end else {
                // A CR is judged by what follows it.
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
                // RFC 9112 2.2: one empty line before the request line is ignored.
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

    /// Judges the current line as far as it has come; `end` is the place of its LF or the end of what is there.
    private func check(_ bytes: UnsafeRawBufferPointer, until end: Int, limits: ServerLimits) -> RequestError? {
        let length = end - lineStart - (end > lineStart && bytes[end - 1] == ASCII.cr ? 1 : 0)
        if lines == 0 {
            // A binary protocol on this port is refused by its first bytes and not by a deadline.
            for index in scanned..<end where bytes[index] < 0x20 || bytes[index] > 0x7E {
                guard bytes[index] == ASCII.cr, index == end - 1 else { return .requestLine("byte") }
            }
            return length > limits.requestLine ? .limit(.uriTooLong, "request_line") : nil
        }
        if length > limits.headerLine { return .limit(.requestHeaderFieldsTooLarge, "header_line") }
        if end - start >= limits.head { return .limit(.requestHeaderFieldsTooLarge, "head") }
        // Lines so far are the request line and complete fields; a non-empty line now is one field more.
        if length > 0, lines > limits.headerCount { return .limit(.requestHeaderFieldsTooLarge, "header_count") }
        return nil
    }
}
