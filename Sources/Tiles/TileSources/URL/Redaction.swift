import Bytes

/// Hides what may be secret in the URL of a source, for people and for logs. What is secret is not told by its name: user name
/// and password, every value of the query, and wherever it stands each text that the layer was configured with.
struct Redaction: Sendable {
    /// A shorter text occurs by chance. Where a template has a value of its own, it masks it itself, however short it is.
    private static let shortest = 8
    /// Fields that say what is asked for and not by whom.
    private static let harmlessHeaders = ["accept", "accept-encoding", "accept-language", "origin", "referer"]
    static let mask = "***"

    /// The longest first, since one may be a part of another.
    private let secrets: [String]

    /// `values`: what fills a template's own placeholders. Of a header's value each word counts: the token behind `Bearer`,
    /// each of several cookies.
    init(values: [String] = [], headers: [(name: String, value: String)] = []) {
        let words = headers.filter { header in !Self.harmlessHeaders.contains { $0 == header.name.lowercased() } }
            .flatMap { [$0.value] + $0.value.split { " ;,=".contains($0) }.map(String.init) }
        let texts = (values + words).filter { $0.utf8.count >= Self.shortest }
        secrets = Set(texts + texts.map(URLText.encoded(value:))).sorted { ($1.utf8.count, $0) < ($0.utf8.count, $1) }
    }

    /// `url`, or a template of one, with `***` for each secret.
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

    /// A field without a value is one itself.
    private static func field(_ field: Substring.UTF8View) -> String {
        guard !field.isEmpty else { return "" }
        return (field.firstIndex(of: UInt8(ascii: "=")).map { String(Substring(field[...$0])) } ?? "") + mask
    }
}
