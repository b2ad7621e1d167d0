import Bytes

extension MappingReader {
    /// Reads the header fields of requests below `key`, in the order of the file: at most `most`. `others`: the keys beside it that set a
    /// header, each with the header's name.
    package mutating func headers(
        _ key: String, atMost most: Int = .max, others: [(key: String, header: String)] = []
    ) -> [(name: String, value: String)] {
        let others = others.filter { has($0.key) }
        var headers: [(name: String, value: String)] = []
        mapping(key) { section in
            guard section.keys.count <= most else { return section.complain("expected at most \(most) headers") }
            for name in section.keys {
                var value = ""
                section.value(name, .headerValue, into: &value)
                let lowered = name.utf8.map(ASCII.lowercased)
                let isSame = { (other: String) in other.utf8.map(ASCII.lowercased) == lowered }
                if lowered.isEmpty || !lowered.allSatisfy(ASCII.isToken) {
                    section.refuse(name, "a header's name is letters, digits and !#$%&'*+-.^_`|~")
                } else if connectionHeaders.contains(where: isSame) {
                    section.refuse(name, "the connection decides this header, it cannot be set")
                } else if let other = others.first(where: { isSame($0.header) }) {
                    section.refuse(name, "\(other.key) sets this header already")
                } else if headers.contains(where: { isSame($0.name) }) {
                    section.refuse(name, "the header is given more than once, letter case aside")
                }
                headers.append((name, value))
            }
        }
        return headers
    }
}

extension SchemaValue {
    /// A mapping of at most `count` header fields.
    package static func headers(atMost count: Int) -> SchemaValue {
        [
            "type": ["object", "null"], "maxProperties": .number(Double(count)),
            "propertyNames": ["pattern": "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$"],
            "additionalProperties": ValueRule<String>.headerValue.schema,
        ]
    }
}

/// Headers about the connection or the framing of a message (RFC 9110 7.6.1, 8.6; RFC 9112).
private let connectionHeaders = [
    "Connection", "Content-Length", "Expect", "Host", "Keep-Alive", "Proxy-Connection", "TE", "Trailer",
    "Transfer-Encoding", "Upgrade",
]
