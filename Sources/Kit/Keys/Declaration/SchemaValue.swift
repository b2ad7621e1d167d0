/// A JSON value whose members keep their order. The JSON Schema of the configuration and the defaults in it are built
/// from such values.
package indirect enum SchemaValue: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    case text(String)
    case number(Double)
    case boolean(Bool)
    case list([SchemaValue])
    case object([Member])

    package struct Member: Sendable {
        let name: String
        let value: SchemaValue
    }

    package init(stringLiteral value: String) { self = .text(value) }
    package init(integerLiteral value: Int) { self = .number(Double(value)) }
    package init(booleanLiteral value: Bool) { self = .boolean(value) }
    package init(arrayLiteral elements: SchemaValue...) { self = .list(elements) }
    package init(dictionaryLiteral elements: (String, SchemaValue)...) { self.init(elements) }

    /// Creates an object with these members.
    package init(_ members: [(String, SchemaValue)]) {
        self = .object(members.map { Member(name: $0.0, value: $0.1) })
    }

    /// Returns this object with `more` members at the end. Returns any other value unchanged.
    package func adding(_ more: [(String, SchemaValue)]) -> SchemaValue {
        guard case .object(let members) = self else { return self }
        return .object(members + more.map { Member(name: $0.0, value: $0.1) })
    }

    /// Returns a schema that accepts values of this schema or of `other`.
    package func or(_ other: SchemaValue) -> SchemaValue {
        if case .object(let members) = self, members.count == 1, members[0].name == "anyOf",
            case .list(let choices) = members[0].value
        {
            return ["anyOf": .list(choices + [other])]
        }
        return ["anyOf": [self, other]]
    }

    /// The members of an object. Empty for any other value.
    package var members: [(String, SchemaValue)] {
        guard case .object(let members) = self else { return [] }
        return members.map { ($0.name, $0.value) }
    }

    /// Returns the JSON text, indented by two spaces per level. A short value stays on one line.
    package func json(indent: String = "") -> String {
        let line = oneLine
        if indent.utf8.count + line.utf8.count <= 110 { return line }
        let deeper = indent + "  "
        switch self {
        case .text, .number, .boolean: return line
        case .list(let elements):
            let lines = elements.map { deeper + $0.json(indent: deeper) }
            return "[\n\(lines.joined(separator: ",\n"))\n\(indent)]"
        case .object(let members):
            let lines = members.map { "\(deeper)\(SchemaValue.literal($0.name)): \($0.value.json(indent: deeper))" }
            return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
        }
    }

    /// The value in YAML, for a table.
    package var yaml: String {
        switch self {
        // An unquoted # begins a comment.
        case .text(let text): text.utf8.first == UInt8(ascii: "#") ? "\"\(text)\"" : text
        case .number, .boolean: oneLine
        case .list(let elements): "[" + elements.map(\.yaml).joined(separator: ", ") + "]"
        case .object(let members):
            members.isEmpty
                ? "{}" : "{ " + members.map { "\($0.name): \($0.value.yaml)" }.joined(separator: ", ") + " }"
        }
    }

    private var oneLine: String {
        switch self {
        case .text(let text): SchemaValue.literal(text)
        case .number(let number): shown(number)
        case .boolean(let value): "\(value)"
        case .list(let elements): "[" + elements.map(\.oneLine).joined(separator: ", ") + "]"
        case .object(let members):
            members.isEmpty
                ? "{}"
                : "{ "
                    + members.map { "\(SchemaValue.literal($0.name)): \($0.value.oneLine)" }.joined(separator: ", ")
                    + " }"
        }
    }

    private static func literal(_ text: String) -> String {
        var result = "\""
        for character in text.unicodeScalars {
            switch character {
            case "\"", "\\": result += "\\\(character)"
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(character)
            }
        }
        return result + "\""
    }
}
