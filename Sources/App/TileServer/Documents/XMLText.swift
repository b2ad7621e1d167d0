/// An XML document in the making: elements within elements, indented.
struct XMLText {
    private(set) var text: String
    private var depth = 0

    /// Without a declaration it is UTF-8 all the same (XML 1.0 4.3.3).
    init(isDeclared: Bool = true) {
        text = isDeclared ? "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" : ""
    }

    typealias Attributes = KeyValuePairs<String, String>

    /// An element with what `content` adds, or an empty one.
    mutating func add(_ name: String, _ attributes: Attributes = [:], _ content: (inout XMLText) -> Void) {
        open(name, attributes)
        text += ">\n"
        depth += 1
        content(&self)
        depth -= 1
        indent()
        text += "</\(name)>\n"
    }

    /// An element with a text.
    mutating func add(_ name: String, _ content: String) {
        open(name, [:])
        text += ">\(Self.escaped(content))</\(name)>\n"
    }

    /// An element without content.
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

    /// `text` as content and as a value between quotation marks (XML 1.0 2.4), without what no XML may hold (2.2).
    static func escaped(_ text: String) -> String {
        guard !text.utf8.allSatisfy(isPlain) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            // A line break in an attribute is read as a space otherwise (3.3.3).
            case "\t", "\n", "\r": result += "&#\(scalar.value);"
            case "\0"..<" ", "\u{FFFE}", "\u{FFFF}": break
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// ASCII that is written as it is.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) && !"&<>\"".utf8.contains(byte)
    }
}
