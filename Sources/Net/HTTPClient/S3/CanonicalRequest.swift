import Bytes

/// The normal form of a request, whose hash is signed ("Task 1: Create a canonical request", Amazon S3 API Reference).
struct CanonicalRequest {
    /// The names of the signed fields in lower case, sorted, with semicolons between them.
    let signedNames: String
    let text: String

    /// - `path`: Percent-encoded once. Stays as it is, because S3 resolves no segments.
    /// - `query`: Names and values that are not percent-encoded.
    /// - `fields`: Must contain `host` and each field `x-amz-…` of the request.
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

    /// Returns the query with its parts sorted by name and then by value, after they are percent-encoded.
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

    /// Returns `value` without spaces and tabs at its ends, and with one space for each run of them.
    private static func trimmed(_ value: String) -> String {
        let words = value.utf8.split { $0 == ASCII.space || $0 == ASCII.tab }
        return words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    }
}
