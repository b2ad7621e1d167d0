import Bytes

/// Splits the text of a template into literal text and placeholders. The layer's own placeholders are replaced by their
/// values.
struct URLTemplateParser {
    let scheme: URLTemplate.Scheme
    private(set) var pieces: [URLTemplate.Piece] = []

    private let values: [String: String]
    /// Literal text that is not yet a piece.
    private var literal = ""
    /// Offset of the first byte after the host.
    private let pathStart: Int

    init(_ text: String, values: [String: String]) throws(URLTemplateError) {
        let bytes = Array(text.utf8)
        try Self.refuseControlBytes(bytes)
        scheme = try Self.scheme(of: bytes)
        for (name, value) in values {
            if URLTemplate.placeholders.contains(name) { throw .reservedValue(name) }
            try Self.refuseControlBytes(Array(value.utf8))
        }
        self.values = values
        // Length of the scheme's name and its colon.
        let start = scheme.rawValue.utf8.count + 1
        if scheme == .file {
            let path = try Self.filePathStart(bytes, after: start)
            pathStart = path
            try parse(bytes, from: path)
        } else {
            pathStart = try Self.authorityEnd(bytes, after: start)
            try parse(bytes, from: 0)
        }
    }

    private mutating func parse(_ bytes: [UInt8], from start: Int) throws(URLTemplateError) {
        var index = start
        while index < bytes.count {
            let run = bytes[index...].prefix { $0 != UInt8(ascii: "{") && $0 != UInt8(ascii: "}") }
            append(literal: run)
            index = run.endIndex
            guard index < bytes.count else { break }
            guard bytes[index] == UInt8(ascii: "{"),
                let end = bytes[(index + 1)...].firstIndex(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }
                ),
                bytes[end] == UInt8(ascii: "}")
            else { throw .unbalancedBrace(offset: index) }
            try append(placeholder: String(decoding: bytes[(index + 1)..<end], as: UTF8.self), at: index)
            index = end + 1
        }
        flush()
    }

    private mutating func append(literal run: ArraySlice<UInt8>) {
        guard scheme != .file else {
            literal += String(decoding: run, as: UTF8.self)
            return
        }
        // In the host, bytes beyond ASCII belong to an internationalised name, which libcurl understands.
        let hostCount = min(max(pathStart - run.startIndex, 0), run.count)
        literal += String(decoding: run.prefix(hostCount), as: UTF8.self)
        literal += URLText.encoded(literal: String(decoding: run.dropFirst(hostCount), as: UTF8.self))
    }

    private mutating func append(placeholder name: String, at offset: Int) throws(URLTemplateError) {
        let isInHost = scheme != .file && offset < pathStart
        guard !isInHost || name == URLTemplate.Placeholder.subdomain.rawValue else { throw .placeholderInHost(name) }
        if let placeholder = URLTemplate.Placeholder(rawValue: name == "zoom" ? "z" : name) {
            flush()
            pieces.append(.placeholder(placeholder))
        } else if let value = values[name] {
            flush()
            pieces.append(.value(scheme == .file ? value : URLText.encoded(value: value), name: name))
        } else {
            throw .unknownPlaceholder(name)
        }
    }

    private mutating func flush() {
        guard !literal.isEmpty else { return }
        pieces.append(.literal(literal))
        literal = ""
    }

    private static func refuseControlBytes(_ bytes: [UInt8]) throws(URLTemplateError) {
        if let offset = bytes.firstIndex(where: { $0 < 0x20 || $0 == 0x7F }) {
            throw .controlByte(bytes[offset], offset: offset)
        }
    }

    private static func scheme(of bytes: [UInt8]) throws(URLTemplateError) -> URLTemplate.Scheme {
        // The text before a colon may be anything, for example a query with a key. The error quotes the text only if it
        // has the characters of a scheme (RFC 3986 3.1).
        guard let colon = bytes.firstIndex(where: { !ASCII.isLetterOrDigit($0) && !"+-.".utf8.contains($0) }),
            bytes[colon] == UInt8(ascii: ":")
        else { throw .unsupportedScheme(nil) }
        let name = String(decoding: bytes[..<colon].map(ASCII.lowercased), as: UTF8.self)
        guard let scheme = URLTemplate.Scheme(rawValue: name) else { throw .unsupportedScheme(name) }
        return scheme
    }

    /// Returns the offset of the first byte after `//host`.
    private static func authorityEnd(_ bytes: [UInt8], after start: Int) throws(URLTemplateError) -> Int {
        guard bytes[start...].starts(with: "//".utf8) else { throw .badHost }
        let authority = bytes[(start + 2)...].prefix { !"/?#".utf8.contains($0) }
        // Some parsers end the host at a backslash and others do not.
        guard !authority.isEmpty, !authority.contains(UInt8(ascii: "\\")) else { throw .badHost }
        return authority.endIndex
    }

    /// Returns the offset of the path in `file:path`, `file:/path` and `file:///path`.
    private static func filePathStart(_ bytes: [UInt8], after start: Int) throws(URLTemplateError) -> Int {
        let rest = bytes[start...]
        guard rest.starts(with: "//".utf8) else { return start }
        guard rest.dropFirst(2).first == ASCII.slash else { throw .badHost }
        return start + 2
    }
}
