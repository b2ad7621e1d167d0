import Bytes

/// Decisions about single bytes of a URL (RFC 3986 2).
enum URLText {
    static func isUnreserved(_ byte: UInt8) -> Bool {
        ASCII.isLetterOrDigit(byte) || "-._~".utf8.contains(byte)
    }

    /// A value as data within a path or a query: what would end its part of the URL is encoded, `/` is not.
    static func encoded(value: String) -> String {
        encoded(value) { isUnreserved($0) || "/:@,!$'()*".utf8.contains($0) }
    }

    /// Text of the template itself: only what cannot stand in a URL at all is encoded.
    static func encoded(literal: String) -> String {
        encoded(literal) { $0 > 0x20 && $0 < 0x7F && !"\"<>\\^`|".utf8.contains($0) }
    }

    private static func encoded(_ text: String, keeping isKept: (UInt8) -> Bool) -> String {
        guard !text.utf8.allSatisfy(isKept) else { return text }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isKept(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), hexDigit(byte >> 4), hexDigit(byte & 15)]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Scheme, host and port of a template, without user name and password; empty where there is no host.
    static func origin(of text: String, scheme: URLTemplate.Scheme) -> String {
        let bytes = Array(text.utf8)
        guard scheme != .file, let slashes = bytes.firstRange(of: "//".utf8) else { return "" }
        let authority = bytes[slashes.upperBound...].prefix { !"/?#".utf8.contains($0) }
        var host = authority.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false).last ?? []
        var port = scheme == .https ? "443" : "80"
        let digits = host.suffix(host.reversed().prefix { ASCII.isDigit($0) }.count)
        if host.dropLast(digits.count).last == UInt8(ascii: ":") {
            host = host.dropLast(digits.count + 1)
            if let number = ASCII.decimal(digits) { port = String(number) }
        }
        return "\(scheme.rawValue)://\(String(decoding: host.map(ASCII.lowercased), as: UTF8.self)):\(port)"
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? ASCII.zero + value : UInt8(ascii: "A") + value - 10
    }
}
