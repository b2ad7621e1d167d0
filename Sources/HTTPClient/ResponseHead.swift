import Bytes

/// Judges and collects the head of a response line by line, as libcurl delivers it. Pure.
///
/// libcurl frames the message; this counts, looks for what libcurl lets through, and keeps the few fields that matter.
struct ResponseHead {
    /// Interim responses taken before the final one (docs/spec/threats.md T31).
    static let interimLimit = 8

    private(set) var status = 0
    private(set) var headers = UpstreamHeaders()
    /// The length that the upstream claims; a hint only, since a content coding may lie between it and the body.
    private(set) var contentLength: Int?
    /// Whether the final head, not that of an interim response, is complete.
    private(set) var isComplete = false

    /// Whether the body has a content coding.
    private(set) var isCoded = false

    private var byteCount = 0
    private var interimCount = 0

    /// Takes one line with its end; returns what is wrong with it.
    mutating func take(_ line: UnsafeRawBufferPointer, limit: Int) -> UpstreamError? {
        byteCount += line.count
        guard byteCount <= limit else { return .tooLarge(.head, limit: limit) }
        // Trailer fields, after the body, mean nothing to us.
        guard !isComplete else { return nil }
        let content = Self.withoutLineEnd(line)
        guard content.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || $0 == ASCII.tab }) else {
            return .badHead(.controlByte)
        }
        if status == 0 { return startLine(content) }
        if !content.isEmpty {
            field(content)
            return nil
        }
        return end()
    }

    private mutating func startLine(_ line: UnsafeRawBufferPointer) -> UpstreamError? {
        guard line.starts(with: "HTTP/".utf8), let space = line.firstIndex(of: ASCII.space) else {
            return .badHead(.notHTTP)
        }
        let version = line[5..<space]
        guard ["1.1", "1.0", "2"].contains(where: { version.elementsEqual($0.utf8) }) else { return .badHead(.notHTTP) }
        let rest = line[(space + 1)...]
        guard let code = ASCII.decimal(rest.prefix(3)), (100...599).contains(code), code != 101,
            rest.count == 3 || rest.dropFirst(3).first == ASCII.space
        else { return .badHead(.badStatus) }
        status = code
        return nil
    }

    private mutating func end() -> UpstreamError? {
        guard status < 200 else {
            isComplete = true
            return nil
        }
        interimCount += 1
        guard interimCount <= Self.interimLimit else { return .badHead(.tooManyInterim(limit: Self.interimLimit)) }
        self = ResponseHead(after: self)
        return nil
    }

    init() {}

    /// The head that follows an interim one: nothing is kept but the counts.
    private init(after interim: ResponseHead) {
        byteCount = interim.byteCount
        interimCount = interim.interimCount
    }

    private mutating func field(_ line: UnsafeRawBufferPointer) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), let kind = Field(line[..<colon]) else { return }
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
        String(decoding: value, as: UTF8.self)
    }

    private static func joined(_ earlier: String?, _ value: Slice<UnsafeRawBufferPointer>) -> String {
        guard let earlier else { return text(value) }
        return earlier + ", " + text(value)
    }
}

/// The fields that are looked at.
private enum Field: String, CaseIterable {
    case contentType = "content-type"
    case etag
    case lastModified = "last-modified"
    case cacheControl = "cache-control"
    case expires, date, age
    case retryAfter = "retry-after"
    case vary
    case setCookie = "set-cookie"
    case contentLength = "content-length"
    case contentEncoding = "content-encoding"

    private static let names: [(name: [UInt8], field: Field)] = allCases.map { (Array($0.rawValue.utf8), $0) }

    /// Compares ASCII bytes without regard to case; nil for a name that is not looked at.
    init?(_ name: Slice<UnsafeRawBufferPointer>) {
        let match = Self.names.first { known in
            known.name.count == name.count && zip(known.name, name).allSatisfy { $0 == ASCII.lowercased($1) }
        }
        guard let match else { return nil }
        self = match.field
    }
}
