import Bytes

/// Reads the content of a request and finds where the next request starts. The content is kept, passed to a reader or
/// discarded. It may arrive in pieces of any size, and the chunked coding is parsed strictly (RFC 9112 7.1). The type
/// only handles bytes and never touches the socket.
struct BodyDrain: Sendable {
    enum Step: Equatable {
        case incomplete
        case complete
        case rejected(RequestError)
    }

    private enum Phase: Sendable {
        case size(digits: Int)
        case sizeLineFeed
        case fieldExtension(ChunkExtension)
        case data
        case dataReturn, dataLineFeed
        case trailerStart, trailerName, trailer, trailerLineFeed, endLineFeed
        case length
        case done
    }

    private static let sizeDigits = 16

    private var phase: Phase
    /// Bytes of the current chunk, or of the whole content, that are still to come.
    private var remaining: Int
    private var budget: Int
    /// The content so far. Nil if the content is not kept. Bytes for `reader` are not added.
    private(set) var content: [UInt8]?

    /// Receives the content piece by piece.
    let reader: (any ContentReader)?

    /// Number of bytes that are allocated for the content.
    var capacity: Int { reader?.capacity ?? content?.capacity ?? 0 }

    init(_ framing: BodyFraming, limit: Int, keeps: Bool = false, reader: (any ContentReader)? = nil) {
        budget = limit
        self.reader = reader
        content = keeps ? [] : nil
        switch framing {
        case .none: (phase, remaining) = (.done, 0)
        case .length(let length): (phase, remaining) = (.length, length)
        case .chunked: (phase, remaining) = (.size(digits: 0), 0)
        }
    }

    /// Reads the content at the front of `bytes`. Returns how many bytes were used, and whether the content is now
    /// complete, or is rejected because it is invalid or too large.
    mutating func take(_ bytes: UnsafeRawBufferPointer) -> (used: Int, step: Step) {
        var used = 0
        if case .length = phase {
            used = min(remaining, bytes.count)
            remaining -= used
            keep(bytes, 0..<used)
            if remaining == 0 { phase = .done }
        }
        do throws(RequestError) {
            while used < bytes.count, !isDone {
                if case .data = phase {
                    let step = min(remaining, bytes.count - used)
                    // Bytes beyond the budget are refused below, so they are not kept here.
                    keep(bytes, used..<used + min(step, max(budget - used, 0)))
                    remaining -= step
                    used += step
                    if remaining == 0 { phase = .dataReturn }
                    continue
                }
                try advance(bytes[used])
                used += 1
            }
        } catch {
            return (used, .rejected(error))
        }
        budget -= used
        // Bytes between chunks count too, so that a body of many tiny chunks also reaches the limit.
        if budget < 0 { return (used, .rejected(.limit(.contentTooLarge, "body"))) }
        return (used, isDone ? .complete : .incomplete)
    }

    private mutating func keep(_ bytes: UnsafeRawBufferPointer, _ part: Range<Int>) {
        if let reader { return reader.take(UnsafeRawBufferPointer(rebasing: bytes[part])) }
        content?.append(contentsOf: bytes[part])
    }

    private var isDone: Bool {
        if case .done = phase { true } else { false }
    }

    private mutating func advance(_ byte: UInt8) throws(RequestError) {
        switch phase {
        case .size(let digits): try size(byte, digits)
        case .fieldExtension(var found):
            if byte == ASCII.cr {
                guard found.mayEnd else { throw .framing("chunk") }
                phase = .sizeLineFeed
            } else {
                guard found.take(byte) else { throw .framing("chunk") }
                phase = .fieldExtension(found)
            }
        case .sizeLineFeed: try expect(byte, ASCII.lf, then: remaining == 0 ? .trailerStart : .data)
        case .dataReturn: try expect(byte, ASCII.cr, then: .dataLineFeed)
        case .dataLineFeed: try expect(byte, ASCII.lf, then: .size(digits: 0))
        case .trailerStart: phase = byte == ASCII.cr ? .endLineFeed : try trailerName(byte)
        case .trailerName: phase = byte == UInt8(ascii: ":") ? .trailer : try trailerName(byte)
        case .trailer: phase = byte == ASCII.cr ? .trailerLineFeed : try trailer(byte)
        case .trailerLineFeed: try expect(byte, ASCII.lf, then: .trailerStart)
        case .endLineFeed: try expect(byte, ASCII.lf, then: .done)
        case .data, .length, .done: break
        }
    }

    private mutating func size(_ byte: UInt8, _ digits: Int) throws(RequestError) {
        if let value = ASCII.hexValue(byte) {
            let (scaled, overflow) = remaining.multipliedReportingOverflow(by: 16)
            guard digits < Self.sizeDigits, !overflow else { throw .framing("chunk") }
            remaining = scaled | Int(value)
            phase = .size(digits: digits + 1)
            return
        }
        guard digits > 0 else { throw .framing("chunk") }
        if byte == ASCII.cr {
            phase = .sizeLineFeed
        } else if let found = ChunkExtension(first: byte) {
            phase = .fieldExtension(found)
        } else {
            throw .framing("chunk")
        }
    }

    /// Reads a byte of a trailer's name. Trailers are field lines (RFC 9112 7.1.2), so a request line must not pass as
    /// one.
    private func trailerName(_ byte: UInt8) throws(RequestError) -> Phase {
        guard Token.contains(byte) else { throw .framing("chunk") }
        return .trailerName
    }

    private func trailer(_ byte: UInt8) throws(RequestError) -> Phase {
        guard byte >= 0x20 || byte == ASCII.tab, byte != 0x7F else { throw .framing("chunk") }
        return .trailer
    }

    private mutating func expect(_ byte: UInt8, _ wanted: UInt8, then next: Phase) throws(RequestError) {
        guard byte == wanted else { throw .framing("chunk") }
        phase = next
    }
}
