import Keys

/// What people write that is no YAML, told by the text around the place where the parser gave up.
enum YAMLMistake {
    /// What is wrong near `position`; nil where it is none of these. `beginning` is where what the parser was reading begins.
    static func found(at position: Position, since beginning: Position?, in source: YAMLSource) -> YAMLError? {
        let line = source.line(position.line)
        if line.prefix(while: { $0 == " " || $0 == "\t" }).contains("\t") {
            return YAMLError(position, "not valid YAML: a tab in the indentation; use spaces")
        }
        // What looks like one value over several lines begins above.
        for number in [position.line, beginning?.line, source.lineWithText(before: position.line)].compactMap(\.self) {
            let line = source.line(number)
            let indentation = line.prefix { $0 == " " }.count
            guard let hint = spaceHint(for: String(String.UnicodeScalarView(line[indentation...]))) else { continue }
            return YAMLError(Position(line: number, column: indentation + 1), "not valid YAML: \(hint)")
        }
        if hasBareTemplate(line) {
            return YAMLError(position, "not valid YAML: a URL with { } needs quotes")
        }
        return nil
    }

    /// Whether something like `{z}` stands there outside quotes.
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
