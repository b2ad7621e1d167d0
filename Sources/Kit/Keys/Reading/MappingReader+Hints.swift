import Bytes

extension MappingReader {
    /// Has the unknown keys `names` told that they are `key` here.
    package mutating func tell(_ names: [String], of key: String) {
        for name in names { otherNames[name] = key }
    }

    /// Has keys that there are no more refused with the line to write in their place.
    mutating func tell(formerKeys: [String: String]) { self.formerKeys = formerKeys }

    /// Whether something is wrong, beyond what only looks so.
    var hasMistakes: Bool { problems.contains { !$0.isWarning } }

    /// Says that the value of `key` looks wrong, and may be right.
    package mutating func warn(_ key: String, _ message: String) {
        // Where it is shared, that was said once.
        if let inherited, inherited.keys.contains(key) { return }
        let place = entry(key)?.value.position ?? position
        problems.append(Problem(position: place, path: path(to: key), message: message, isWarning: true))
    }

    /// The numbers of the list that `key` has, or of the lists in that, which is not flat then; nil where it has anything else.
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

    /// What an unknown key may have been meant to be.
    func hint(for unknown: SettingNode.Entry) -> String {
        if unknown.key == "<<" { return " (merge keys are not supported)" }
        if let space = spaceHint(for: unknown.key) { return " (\(space))" }
        if let line = formerKeys[unknown.key] { return " (write \(line) instead)" }
        if let name = otherNames[unknown.key] { return " (write \(name) instead)" }
        return Keys.hint(for: unknown.key, among: known)
    }

    /// What a value may need beside its own text.
    package struct Context {
        package let substitution: Substitution
        /// Whether files are opened to judge what stands in them, and templates read.
        package var opensSources = false
        /// The directory that relative paths count from; empty for the working directory.
        package var directory = ""
        /// What all layers have beside their own keys.
        package var layerDefaults: SharedEntries?
        /// The ids of the layers that a map may draw.
        package var layers: [String] = []
        /// The ids of the maps, which none may draw.
        package var maps: [String] = []

        package init(substitution: Substitution) {
            self.substitution = substitution
        }

        /// Takes every text as it stands.
        static let verbatim = Context(substitution: Substitution(environment: nil))
    }

    /// One problem with its place.
    package struct Problem {
        package let position: Position
        package let path: String
        package let message: String
        /// Whether it may be right all the same.
        package let isWarning: Bool

        package init(position: Position, path: String, message: String, isWarning: Bool = false) {
            self.position = position
            self.path = path
            self.message = message
            self.isWarning = isWarning
        }
    }

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
    /// What stands where keys and values should, and what to write in its place.
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
