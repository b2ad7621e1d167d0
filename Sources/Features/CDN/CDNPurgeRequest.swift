/// The HTTP request that tells a cache in front of the server to purge tags. This is a value: `CDNPurger` sends it.
struct CDNPurgeRequest: Sendable, Equatable {
    let url: String
    let method: String
    let headers: [String: String]
    let body: String

    private static let placeholder = "{tags}"

    /// Creates the request from the operator's settings, and replaces the placeholder `{tags}` in them. `tags` must
    /// contain only characters that a URL need not escape (RFC 3986 2.3).
    init(_ tags: [String], _ settings: CDNSettings.Purge) {
        let text = tags.joined(separator: " ")
        url = settings.url.replacing(Self.placeholder, with: tags.joined(separator: "%20"))
        method = settings.method
        let list = "[" + tags.map { "\"\($0)\"" }.joined(separator: ",") + "]"
        // A body counts as JSON if it begins like an object or an array.
        let given = settings.body ?? ""
        let rest = given.replacing(Self.placeholder, with: "")
        let isJSON = rest.first { !$0.isWhitespace }.map { "{[".contains($0) } ?? false
        body =
            isJSON
            ? Self.filled(given, list: list, text: text)
            : given.replacing(Self.placeholder, with: text)
        var headers = settings.headers.mapValues { $0.replacing(Self.placeholder, with: text) }
        if isJSON, !headers.keys.contains(where: { $0.lowercased() == "content-type" }) {
            headers["Content-Type"] = "application/json"
        }
        self.headers = headers
    }

    /// Fills the tags into a JSON body. A placeholder inside a JSON string becomes `text`, the tags separated by
    /// spaces. Elsewhere the placeholder becomes `list`, a JSON array of the tags.
    private static func filled(_ body: String, list: String, text: String) -> String {
        var result = ""
        var rest = body[...]
        var isQuoted = false
        while let start = rest.firstRange(of: placeholder) {
            let before = rest[..<start.lowerBound]
            var isEscaped = false
            for byte in before.utf8 {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\"), isQuoted {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isQuoted.toggle()
                }
            }
            result.append(contentsOf: before)
            result.append(isQuoted ? text : list)
            rest = rest[start.upperBound...]
        }
        return result + rest
    }
}
