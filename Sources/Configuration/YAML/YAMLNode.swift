/// One value of a YAML document with its place: what the binder reads, free of the parser that made it.
struct YAMLNode: Sendable {
    /// Where the value begins; for the value of an alias, where the anchored value begins.
    var position: Position
    var content: Content
    /// The values in and below this one, aliases unfolded; at least 1.
    var count = 1
    /// The levels in and below this one, aliases unfolded; at least 1.
    var depth = 1

    enum Content: Sendable {
        case scalar(Scalar)
        case sequence([YAMLNode])
        case mapping([Entry])
    }

    /// One key of a mapping and its value.
    struct Entry: Sendable {
        var key: String
        var position: Position
        var value: YAMLNode
    }
}

/// A place in a file: line and column count characters from 1.
struct Position: Sendable, Hashable, Comparable {
    var line: Int
    var column: Int

    static let start = Position(line: 1, column: 1)

    static func < (left: Position, right: Position) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// The text of a value, and what it may be taken for (YAML 1.2.2 section 10.3, without octal and hexadecimal numbers).
struct Scalar: Sendable, Equatable {
    var text: String
    /// Whether the text stood in quotes or in a block, and so is text whatever it looks like.
    var isQuoted = false
    /// Whether the text came from the environment, where nothing can be quoted: it passes for text as well as for a
    /// number.
    var isSubstituted = false

    var isNull: Bool {
        !isQuoted && ["", "~", "null", "Null", "NULL"].contains(text)
    }

    var boolean: Bool? {
        guard !isQuoted else { return nil }
        return switch text {
        case "true", "True", "TRUE": true
        case "false", "False", "FALSE": false
        default: nil
        }
    }

    /// Whether an unquoted text reads as a number to a person, be it a valid one or not.
    var looksNumeric: Bool {
        guard !isQuoted else { return false }
        let bytes = Array(text.utf8)
        let digits = bytes.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: ".") }
        guard let first = digits.first, bytes.count - digits.count <= 2 else { return false }
        if !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) {
            return [".inf", "-.inf", "+.inf", ".nan"].contains(text.lowercased())
        }
        return digits.allSatisfy { "0123456789.eE+-".utf8.contains($0) }
    }

    /// The value where text is asked for; nil where it is a number, a truth value or nothing.
    var string: String? {
        isQuoted || isSubstituted || !(isNull || boolean != nil || looksNumeric) ? text : nil
    }
}
