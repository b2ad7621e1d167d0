import Bytes

extension MappingReader {
    /// Records that the unknown keys `names` are called `key` here, for hints.
    package mutating func tell(_ names: [String], of key: String) {
        for name in names { otherNames[name] = key }
    }

    /// Sets the keys of earlier versions that no longer exist. If the file has such a key, the error suggests the line
    /// to write instead.
    mutating func tell(formerKeys: [String: String]) { self.formerKeys = formerKeys }

    /// True if there is an error. Warnings do not count.
    var hasMistakes: Bool { problems.contains { !$0.isWarning } }

    /// Reports a warning: the value of `key` looks wrong, but may be right.
    package mutating func warn(_ key: String, _ message: String) {
        // A shared entry was already reported at its own place.
        if let inherited, inherited.keys.contains(key) { return }
        let place = entry(key)?.value.position ?? position
        problems.append(Problem(position: place, path: path(to: key), message: message, isWarning: true))
    }

    /// Returns the numbers in the list of `key`, or in its inner lists. `isFlat` is true if the list has as many
    /// elements as numbers. Returns nil if the value contains anything else.
    package func numbers(in key: String) -> (numbers: [Double], isFlat: Bool)? {
        guard case .sequence(let nodes) = entry(key)?.value.content else { return nil }
        let flat = nodes.flatMap { node in
            if case .sequence(let inner) = node.content { inner } else { [node] }
        }
        let numbers = flat.compactMap { node -> Double? in
            guard case .scalar(let scalar) = node.content, scalar.looksNumeric else { return nil }
            return Double(scalar.text)
        }
        return numbers.count == flat.count ? (numbers, flat.count == nodes.count) : nil
    }

    /// Returns a hint at the key that an unknown key was probably meant to be.
    func hint(for unknown: SettingNode.Entry) -> String {
        if unknown.key == "<<" { return " (merge keys are not supported)" }
        if let space = spaceHint(for: unknown.key) { return " (\(space))" }
        if let line = formerKeys[unknown.key] { return " (write \(line) instead)" }
        if let name = otherNames[unknown.key] { return " (write \(name) instead)" }
        return Keys.hint(for: unknown.key, among: known)
    }

    /// Information that a reader needs to check a value, in addition to the text of the value. Readers of nested
    /// mappings get the same context.
    package struct Context {
        package let substitution: Substitution
        /// True if files are opened to check their content and URL templates are checked.
        package var opensSources = false
        /// Base directory of relative paths. Empty for the working directory.
        package var directory = ""
        /// Entries that all layers share.
        package var layerDefaults: SharedEntries?
        /// Ids of the layers that a map may draw.
        package var layers: [String] = []
        /// Ids of the maps. A map must not draw another map.
        package var maps: [String] = []
        /// Ids of the layers that stand in directories now. Empty if files are not opened.
        package var archives: [String] = []
        /// True if files in directories may bring layers later.
        package var mayGainLayers = false

        package init(substitution: Substitution) {
            self.substitution = substitution
        }

        /// A context without substitution.
        static let verbatim = Context(substitution: Substitution(environment: nil))
    }

    /// An error or a warning about a value, with the position in the file.
    package struct Problem {
        package let position: Position
        package let path: String
        package let message: String
        /// True if the value may still be right.
        package let isWarning: Bool

        package init(position: Position, path: String, message: String, isWarning: Bool = false) {
            self.position = position
            self.path = path
            self.message = message
            self.isWarning = isWarning
        }
    }

    /// Reads a mapping of HTTP headers below `key` and returns them in the order of the file. There may be at most
    /// `most` headers. `others` are keys next to `key` that set a header too. A header that one of them sets is
    /// refused.
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
                    section.refuse(name, "expected a header name of letters, digits and !#$%&'*+-.^_`|~")
                } else if connectionHeaders.contains(where: isSame) {
                    section.refuse(name, "the HTTP connection sets this header; remove it")
                } else if let other = others.first(where: { isSame($0.header) }) {
                    section.refuse(name, "\(other.key) already sets this header")
                } else if headers.contains(where: { isSame($0.name) }) {
                    section.refuse(name, "the header is given more than once; letter case makes no difference")
                }
                headers.append((name, value))
            }
        }
        return headers
    }
}

extension SettingNode {
    /// Describes this node for an error, where keys and values were expected. `instead` is the text to write instead of
    /// a list.
    func found(insteadOfList instead: String?) -> String {
        switch content {
        case .scalar(let scalar):
            let hint = scalar.isQuoted ? nil : spaceHint(for: scalar.text)
            return hint.map { "a text: \($0)" } ?? "a single value"
        case .sequence: return "a list" + (instead.map { "; write \($0)" } ?? "")
        case .mapping: return "keys and values"
        }
    }
}

extension SchemaValue {
    /// Returns the schema of a mapping with at most `count` header fields.
    package static func headers(atMost count: Int) -> SchemaValue {
        [
            "type": ["object", "null"], "maxProperties": .number(Double(count)),
            "propertyNames": ["pattern": "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$"],
            "additionalProperties": ValueRule<String>.headerValue.schema,
        ]
    }
}

/// Headers that only the HTTP connection may set (RFC 9110 7.2, 7.6.1, 8.6, 10.1.1; RFC 9112).
private let connectionHeaders = [
    "Connection", "Content-Length", "Expect", "Host", "Keep-Alive", "Proxy-Connection", "TE", "Trailer",
    "Transfer-Encoding", "Upgrade",
]
