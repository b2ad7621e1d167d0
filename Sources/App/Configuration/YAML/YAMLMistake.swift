import Keys

/// Explains common YAML mistakes, such as a tab in the indentation. This type looks for the mistake in the text near
/// the position that the parser reports.
enum YAMLMistake {
    /// Returns an explanation of the mistake near `position`, or nil if the mistake is not a common one. `beginning` is
    /// the start of the value that the parser was reading.
    static func found(at position: Position, since beginning: Position?, in source: YAMLSource) -> YAMLError? {
        let line = source.line(position.line)
        if line.prefix(while: { $0 == " " || $0 == "\t" }).contains("\t") {
            return YAMLError(position, "not valid YAML: a tab in the indentation; use spaces")
        }
        // The mistake may stand in a line above, because the parser reads on as if the value had several lines.
        for number in [position.line, beginning?.line, source.lineWithText(before: position.line)].compactMap(\.self) {
            let line = source.line(number)
            if let (column, color) = bareColor(line) {
                return YAMLError(
                    Position(line: number, column: column),
                    "not valid YAML: this # begins a comment; write the colour in quotes: \"\(color)\"")
            }
            let indentation = line.prefix { $0 == " " }.count
            guard let hint = spaceHint(for: String(String.UnicodeScalarView(line[indentation...]))) else { continue }
            return YAMLError(Position(line: number, column: indentation + 1), "not valid YAML: \(hint)")
        }
        if hasBareTemplate(line) {
            return YAMLError(position, "not valid YAML: a URL with { } needs quotes")
        }
        return nil
    }

    /// Finds a colour such as `#ff0000` after a colon, a comma or a bracket and a space. Returns the column of `#` and
    /// the colour. In such a place a colour without quotes is a common mistake.
    private static func bareColor(_ line: [Unicode.Scalar]) -> (column: Int, color: String)? {
        for index in line.indices.dropFirst(2) where line[index] == "#" && line[index - 1] == " " {
            let before = line[..<index].last { $0 != " " }
            let digits = line[(index + 1)...].prefix { $0.properties.isASCIIHexDigit }
            let next = digits.endIndex < line.endIndex ? line[digits.endIndex] : " "
            guard let before, [":", ",", "["].contains(before), [3, 4, 6, 8].contains(digits.count),
                [" ", ",", "}", "]"].contains(next)
            else { continue }
            return (index + 1, "#" + String(String.UnicodeScalarView(digits)))
        }
        return nil
    }

    /// Reports whether the line has a placeholder such as `{z}` outside quotes. A URL template without quotes is a
    /// common mistake.
    private static func hasBareTemplate(_ line: [Unicode.Scalar]) -> Bool {
        var quote: Unicode.Scalar?
        for (index, character) in line.enumerated() {
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if character == "{" {
                let name = line[(index + 1)...].prefix { isNameCharacter($0) }
                if !name.isEmpty, index + 1 + name.count < line.count, line[index + 1 + name.count] == "}" {
                    return true
                }
            }
        }
        return false
    }

    private static func isNameCharacter(_ character: Unicode.Scalar) -> Bool {
        YAMLSource.isNameCharacter(character) || character == "," || character == ":"
    }
}
