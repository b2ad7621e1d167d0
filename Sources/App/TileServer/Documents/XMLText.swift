/// Writes an XML document with nested, indented elements.
struct XMLText {
    private(set) var text: String
    private var depth = 0

    /// Begins a document. Without a declaration, the encoding is UTF-8 too (XML 1.0 4.3.3).
    init(isDeclared: Bool = true) {
        text = isDeclared ? "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" : ""
    }

    typealias Attributes = KeyValuePairs<String, String>

    /// Adds an element with the children that `content` adds.
    mutating func add(_ name: String, _ attributes: Attributes = [:], _ content: (inout XMLText) -> Void) {
        open(name, attributes)
        text += ">\n"
        depth += 1
        content(&self)
        depth -= 1
        indent()
        text += "</\(name)>\n"
    }

    /// Adds an element with a text.
    mutating func add(_ name: String, _ content: String) {
        open(name, [:])
        text += ">\(Self.escaped(content))</\(name)>\n"
    }

    /// Adds an element without content.
    mutating func add(_ name: String, _ attributes: Attributes) {
        open(name, attributes)
        text += "/>\n"
    }

    private mutating func open(_ name: String, _ attributes: Attributes) {
        indent()
        text += "<\(name)"
        for (name, value) in attributes { text += " \(name)=\"\(Self.escaped(value))\"" }
    }

    private mutating func indent() {
        for _ in 0..<depth { text += "  " }
    }

    /// Escapes `text` for use as content or as an attribute value (XML 1.0 2.4). Removes characters that XML does not
    /// allow (2.2).
    static func escaped(_ text: String) -> String {
        guard !text.utf8.allSatisfy(isPlain) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            // Without an escape, a line break in an attribute is read as a space (3.3.3).
            case "\t", "\n", "\r": result += "&#\(scalar.value);"
            case "\0"..<" ", "\u{FFFE}", "\u{FFFF}": break
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// True for ASCII characters that need no escape.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) && !"&<>\"".utf8.contains(byte)
    }
}
