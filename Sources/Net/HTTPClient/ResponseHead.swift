import Bytes
import Glibc

/// Checks and collects the head of a response line by line, as libcurl delivers it.
///
/// libcurl splits the response into head and body. This class limits the size of the head, finds errors that libcurl
/// tolerates, and keeps the few fields that the server needs.
///
/// A class, because changing a struct inside the transfer would cost a check for simultaneous access. Thread rule: like
/// the transfer.
final class ResponseHead {
    /// Maximum number of interim responses before the final one (docs/spec/threats.md T31).
    static let interimLimit = 8

    private(set) var status = 0
    private(set) var headers = UpstreamHeaders()
    /// The length that the upstream claims. Only a hint, because a content coding may change the body's length.
    private(set) var contentLength: Int?
    /// True if the final head is complete. The head of an interim response does not count.
    private(set) var isComplete = false

    /// True if the head has a `Content-Encoding` field, with any value.
    private(set) var isCoded = false

    private var byteCount = 0
    private var interimCount = 0

    /// Checks the next line of the head, which includes its line end. Returns an error if the line is invalid, if all
    /// heads and trailers so far have more than `limit` bytes, or if there are too many interim responses.
    func take(_ line: UnsafeRawBufferPointer, limit: Int) -> UpstreamError? {
        byteCount += line.count
        guard byteCount <= limit else { return .tooLarge(.head, limit: limit) }
        // Trailer fields after the body are ignored, but their bytes count.
        guard !isComplete else { return nil }
        let content = Self.withoutLineEnd(line)
        guard !Self.hasControlByte(content) else { return .badHead(.controlByte) }
        if status == 0 { return startLine(content) }
        if !content.isEmpty {
            field(content)
            return nil
        }
        return end()
    }

    private static let versions: [StaticString] = ["HTTP/1.1", "HTTP/1.0", "HTTP/2"]

    /// Checks all bytes, without a branch for each.
    private static func hasControlByte(_ line: UnsafeRawBufferPointer) -> Bool {
        var found: UInt8 = 0
        for byte in line {
            let isControl: UInt8 = byte < 0x20 ? 1 : 0
            let isTab: UInt8 = byte == ASCII.tab ? 1 : 0
            found |= isControl ^ isTab | (byte == 0x7F ? 1 : 0)
        }
        return found != 0
    }

    private func startLine(_ line: UnsafeRawBufferPointer) -> UpstreamError? {
        guard let space = line.firstIndex(of: ASCII.space) else { return .badHead(.notHTTP) }
        let version = UnsafeRawBufferPointer(rebasing: line[..<space])
        guard Self.versions.contains(where: { $0.equals(version) }) else { return .badHead(.notHTTP) }
        let rest = line[(space + 1)...]
        guard let code = ASCII.decimal(rest.prefix(3)), (100...599).contains(code), code != 101,
            rest.count == 3 || rest.dropFirst(3).first == ASCII.space
        else { return .badHead(.badStatus) }
        status = code
        return nil
    }

    private func end() -> UpstreamError? {
        guard status < 200 else {
            isComplete = true
            return nil
        }
        interimCount += 1
        guard interimCount <= Self.interimLimit else { return .badHead(.tooManyInterim(limit: Self.interimLimit)) }
        // Another head follows an interim one. Only the counts are kept.
        forgetFields()
        return nil
    }

    /// Resets everything, for the head of another response.
    func reset() {
        forgetFields()
        byteCount = 0
        interimCount = 0
    }

    /// Returns the fields and removes them.
    func takeHeaders() -> UpstreamHeaders {
        var taken = UpstreamHeaders()
        swap(&taken, &headers)
        return taken
    }

    private func forgetFields() {
        // Without a status there are no fields yet.
        guard status != 0 else { return }
        status = 0
        headers = UpstreamHeaders()
        contentLength = nil
        isComplete = false
        isCoded = false
    }

    private func field(_ line: UnsafeRawBufferPointer) {
        guard let start = line.baseAddress, let found = memchr(start, Int32(UInt8(ascii: ":")), line.count) else {
            return
        }
        let colon = UnsafeRawPointer(found) - start
        guard let kind = Field(UnsafeRawBufferPointer(rebasing: line[..<colon])) else { return }
        let value = Self.trimmed(line[(colon + 1)...])
        switch kind {
        case .contentType: headers.contentType = Self.text(value)
        case .etag: headers.etag = Self.text(value)
        case .lastModified: headers.lastModified = Self.text(value)
        case .cacheControl: headers.cacheControl = Self.joined(headers.cacheControl, value)
        case .expires: headers.expires = Self.joined(headers.expires, value)
        case .date: headers.date = Self.text(value)
        case .age: headers.age = Self.joined(headers.age, value)
        case .retryAfter: headers.retryAfter = Self.text(value)
        case .vary: headers.vary = Self.joined(headers.vary, value)
        case .contentRange: headers.contentRange = ContentRange(value)
        case .setCookie: headers.setsCookie = true
        case .contentLength: contentLength = ASCII.decimal(value)
        case .contentEncoding: isCoded = true
        }
    }

    private static func withoutLineEnd(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var count = line.count
        if count > 0, line[count - 1] == ASCII.lf { count -= 1 }
        if count > 0, line[count - 1] == ASCII.cr { count -= 1 }
        return UnsafeRawBufferPointer(rebasing: line[..<count])
    }

    private static func trimmed(_ value: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        var value = value
        while let first = value.first, first == ASCII.space || first == ASCII.tab { value.removeFirst() }
        while let last = value.last, last == ASCII.space || last == ASCII.tab { value.removeLast() }
        return value
    }

    private static func text(_ value: Slice<UnsafeRawBufferPointer>) -> String {
        String(decoding: UnsafeRawBufferPointer(rebasing: value), as: UTF8.self)
    }

    private static func joined(_ earlier: String?, _ value: Slice<UnsafeRawBufferPointer>) -> String {
        guard let earlier else { return text(value) }
        return earlier + ", " + text(value)
    }
}

/// The header fields that the server uses. All other fields are ignored.
private enum Field {
    case contentType, etag, lastModified, cacheControl, expires, date, age, retryAfter, vary, setCookie, contentLength
    case contentEncoding, contentRange

    /// Finds the field with this name. Letter case is ignored. Returns nil for a field that the server does not use.
    init?(_ name: UnsafeRawBufferPointer) {
        func isNamed(_ text: StaticString) -> Bool { text.equals(name, lowercased: true) }
        let field: Field? =
            switch name.count {
            case 3: isNamed("age") ? .age : nil
            case 4: isNamed("etag") ? .etag : isNamed("date") ? .date : isNamed("vary") ? .vary : nil
            case 7: isNamed("expires") ? .expires : nil
            case 10: isNamed("set-cookie") ? .setCookie : nil
            case 11: isNamed("retry-after") ? .retryAfter : nil
            case 12: isNamed("content-type") ? .contentType : nil
            case 13:
                isNamed("last-modified")
                    ? .lastModified
                    : isNamed("cache-control") ? .cacheControl : isNamed("content-range") ? .contentRange : nil
            case 14: isNamed("content-length") ? .contentLength : nil
            case 16: isNamed("content-encoding") ? .contentEncoding : nil
            default: nil
            }
        guard let field else { return nil }
        self = field
    }
}

extension StaticString {
    /// Reports whether `bytes` equal this ASCII text. If `lowercased` is true, the bytes are converted to lower case
    /// first.
    fileprivate func equals(_ bytes: UnsafeRawBufferPointer, lowercased: Bool = false) -> Bool {
        guard bytes.count == utf8CodeUnitCount else { return false }
        for index in 0..<utf8CodeUnitCount {
            let byte = lowercased ? ASCII.lowercased(bytes[index]) : bytes[index]
            if byte != utf8Start[index] { return false }
        }
        return true
    }
}
