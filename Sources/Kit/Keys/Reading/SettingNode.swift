/// A value of a YAML document, with its position in the file. The type is independent of the YAML parser.
package struct SettingNode: Sendable {
    /// Position of the value. For an alias, the position of the anchored value.
    package var position: Position
    package var content: Content
    /// Number of values in this one, including itself, with aliases expanded. At least 1.
    package var count = 1
    /// Number of levels in this value, including itself, with aliases expanded. At least 1.
    package var depth = 1

    package enum Content: Sendable {
        case scalar(Scalar)
        case sequence([SettingNode])
        case mapping([Entry])
    }

    package init(position: Position, content: Content) {
        (self.position, self.content) = (position, content)
    }

    /// A key of a mapping and its value.
    package struct Entry: Sendable {
        package var key: String
        package var position: Position
        package var value: SettingNode

        package init(key: String, position: Position, value: SettingNode) {
            (self.key, self.position, self.value) = (key, position, value)
        }
    }
}

/// A position in a file. Lines and columns count from 1, and a column is one character.
package struct Position: Sendable, Hashable, Comparable {
    package var line: Int
    package var column: Int

    package static let start = Position(line: 1, column: 1)

    package init(line: Int, column: Int) {
        (self.line, self.column) = (line, column)
    }

    package static func < (left: Position, right: Position) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// A single value as the file contains it. The value can be text, a number, a Boolean or null, depending on how it is
/// written (YAML 1.2.2 section 10.3). Octal and hexadecimal numbers are not supported.
package struct Scalar: Sendable, Equatable {
    package var text: String
    /// True if the text was in quotes or in a block. It is then always text.
    package var isQuoted = false
    /// True if a part of the text came from the environment, where quoting is impossible, or from the default of a
    /// variable. It can then be text as well as a number.
    package var isSubstituted = false

    package init(text: String, isQuoted: Bool = false, isSubstituted: Bool = false) {
        self.text = text
        self.isQuoted = isQuoted
        self.isSubstituted = isSubstituted
    }

    package var isNull: Bool {
        !isQuoted && ["", "~", "null", "Null", "NULL"].contains(text)
    }

    package var boolean: Bool? {
        guard !isQuoted else { return nil }
        return switch text {
        case "true", "True", "TRUE": true
        case "false", "False", "FALSE": false
        default: nil
        }
    }

    /// True if an unquoted text looks like a number to a person, even if it is not valid.
    package var looksNumeric: Bool {
        guard !isQuoted else { return false }
        let bytes = Array(text.utf8)
        let digits = bytes.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: ".") }
        guard let first = digits.first, bytes.count - digits.count <= 2 else { return false }
        if !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) {
            return [".inf", "-.inf", "+.inf", ".nan"].contains(text.lowercased())
        }
        return digits.allSatisfy { "0123456789.eE+-".utf8.contains($0) }
    }

    /// The text, if the value is text. Nil if it can only be a number, a truth value or nothing.
    package var string: String? {
        isQuoted || isSubstituted || !(isNull || boolean != nil || looksNumeric) ? text : nil
    }
}
