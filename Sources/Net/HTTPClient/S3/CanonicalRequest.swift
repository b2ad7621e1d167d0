import Bytes

/// The canonical form of a request: the text that the client and the server build in the same way. The signature
/// covers the hash of this text ("Task 1: Create a canonical request", Amazon S3 API Reference).
struct CanonicalRequest {
    /// The names of the signed fields in lower case, sorted, with semicolons between them.
    let signedNames: String
    let text: String

    /// - `path`: The percent-encoded path of the URL. The path is not encoded again, and its `.` and `..` segments
    ///   stay, because S3 does not resolve these segments.
    /// - `query`: Names and values that are not percent-encoded.
    /// - `fields`: The fields to sign. Must contain `host` and each field `x-amz-…` of the request.
    /// - `payload`: The value of `x-amz-content-sha256`.
    init(
        method: String, path: String, query: [(name: String, value: String)] = [],
        fields: [(name: String, value: String)], payload: String
    ) {
        var values: [String: [String]] = [:]
        for (name, value) in fields { values[name.lowercased(), default: []].append(Self.trimmed(value)) }
        let sorted = values.sorted { Self.isBefore($0.key, $1.key) }
        signedNames = sorted.map(\.key).joined(separator: ";")
        let lines = sorted.map { "\($0.key):\($0.value.joined(separator: ","))\n" }.joined()
        text = "\(method)\n\(path)\n\(Self.canonical(query))\n\(lines)\n\(signedNames)\n\(payload)"
    }

    /// Returns the query with percent-encoded names and values. The pairs of name and value are sorted by encoded
    /// name, and then by encoded value.
    private static func canonical(_ query: [(name: String, value: String)]) -> String {
        query.map { name, value in
            (S3Text.encoded(name, keepsSlashes: false), S3Text.encoded(value, keepsSlashes: false))
        }
        .sorted { $0.0 == $1.0 ? isBefore($0.1, $1.1) : isBefore($0.0, $1.0) }
        .map { "\($0)=\($1)" }.joined(separator: "&")
    }

    /// Compares bytes. `String` compares by Unicode's rules.
    private static func isBefore(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    /// Returns `value` without spaces and tabs at its ends. Each group of spaces and tabs inside `value` becomes one
    /// space.
    private static func trimmed(_ value: String) -> String {
        let words = value.utf8.split { $0 == ASCII.space || $0 == ASCII.tab }
        return words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    }
}
