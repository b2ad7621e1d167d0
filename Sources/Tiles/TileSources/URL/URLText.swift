import Bytes

/// Encodes bytes for a URL (RFC 3986 2), and finds the parts of a URL.
enum URLText {
    static func isUnreserved(_ byte: UInt8) -> Bool {
        ASCII.isLetterOrDigit(byte) || "-._~".utf8.contains(byte)
    }

    /// Encodes a value as data in a path or a query. Keeps unreserved characters, `/` and some marks, and encodes all
    /// others.
    static func encoded(value: String) -> String {
        encoded(value) { isUnreserved($0) || "/:@,!$'()*".utf8.contains($0) }
    }

    /// Encodes text of the template itself. Encodes only characters that a URL cannot contain.
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

    /// Returns the scheme, the host and the port of a template. A user name and password are left out. Returns an empty
    /// text for `file`, and for a text without `//`.
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

/// Hides secrets in the URL of a source before the URL appears in a log or a message. It hides the user name, the
/// password, each value of the query, and the fragment. Before the query, it also hides secrets from the layer's
/// configuration.
struct Redaction: Sendable {
    /// Minimum length of a text that is hidden, because a shorter text occurs by chance. A template hides its own
    /// values itself, even short ones.
    private static let shortest = 8
    /// Headers that describe the request and not its sender.
    private static let harmlessHeaders = ["accept", "accept-encoding", "accept-language", "origin", "referer"]
    static let mask = "***"

    /// Longest first, because one secret may be a part of another.
    private let secrets: [String]

    /// `values` are the values of a template's own placeholders. A header's value counts as a secret, and each word of
    /// the value too, such as the token after `Bearer` or each of several cookies.
    init(values: [String] = [], headers: [(name: String, value: String)] = []) {
        let words = headers.filter { header in !Self.harmlessHeaders.contains { $0 == header.name.lowercased() } }
            .flatMap { [$0.value] + $0.value.split { " ;,=".contains($0) }.map(String.init) }
        let texts = (values + words).filter { $0.utf8.count >= Self.shortest }
        secrets = Set(texts + texts.map(URLText.encoded(value:))).sorted { ($1.utf8.count, $0) < ($0.utf8.count, $1) }
    }

    /// Returns `url`, or a template of a URL, with `***` in place of each secret.
    func redacted(_ url: String) -> String {
        let start = url.utf8.prefix { !"?#".utf8.contains($0) }.endIndex
        let head = secrets.reduce(Self.withoutUser(url[..<start])) { $0.replacing($1, with: Self.mask) }
        let hash = url.utf8[start...].firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex
        let fragment = hash < url.endIndex ? "#" + Self.mask : ""
        guard start < hash else { return head + fragment }
        let query = url.utf8[start..<hash].dropFirst()
        let fields = query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map(Self.field)
        return head + "?" + fields.joined(separator: "&") + fragment
    }

    private static func withoutUser(_ url: Substring) -> String {
        guard let slashes = url.utf8.firstRange(of: "//".utf8) else { return String(url) }
        let authority = url.utf8[slashes.upperBound...].prefix { $0 != ASCII.slash }
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return String(url) }
        return url[..<slashes.upperBound] + mask + url[at...]
    }

    /// Masks the value of a query field. A field without a value is masked as a whole.
    private static func field(_ field: Substring.UTF8View) -> String {
        guard !field.isEmpty else { return "" }
        return (field.firstIndex(of: UInt8(ascii: "=")).map { String(Substring(field[...$0])) } ?? "") + mask
    }
}
