import Keys

/// The text of a YAML file, changed so that the parser handles it safely.
///
/// Some characters are replaced by private-use characters of Unicode plane 15, which no file may contain. The number of
/// characters stays the same, so the positions in messages are right. Two kinds of characters are replaced:
/// - The `*` of every alias, and every other `*` before a letter, a digit, `_` or `-`. The alias becomes plain text,
///   and `YAMLConverter` resolves it. If the parser resolved aliases, a few lines could keep the parser busy for years.
/// - The first character of a duplicate key. The key becomes a different key, so the parser continues and finds other
///   problems of the file.
struct YAMLSource: Sendable {
    /// The character that replaces the star of an alias.
    static let aliasMark = mask(0)
    /// Maximum number of characters that are parsed again because of duplicate keys. This limits the work for a file
    /// with many duplicate keys.
    private static let maximumRepeatedWork = 2 << 20

    private var characters: [Unicode.Scalar]
    private let lineStarts: [Int]
    private var maskedKeys: [Unicode.Scalar] = []

    /// Decodes the bytes of a file. Throws if the bytes are not UTF-8, or contain a character that a file may not have,
    /// such as a control character other than a tab or a line end. A byte order mark at the start is skipped.
    init(_ bytes: [UInt8]) throws(YAMLError) {
        characters = []
        characters.reserveCapacity(bytes.count)
        var lines = LineCounter()
        var decoder = UTF8()
        var iterator =
            bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3).makeIterator() : bytes[...].makeIterator()
        decoding: while true {
            switch decoder.decode(&iterator) {
            case .emptyInput: break decoding
            case .error: throw YAMLError(lines.position, "expected UTF-8, found an invalid byte here")
            case .scalarValue(let character):
                guard YAMLSource.isAllowed(character) else {
                    throw YAMLError(lines.position, "the character \(named(character)) is not allowed in a file")
                }
                characters.append(character)
                lines.count(character)
            }
        }
        lineStarts = lines.starts
        maskAliases()
    }

    /// The text for the parser.
    var text: String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: characters)
        return String(text)
    }

    /// Replaces the first character of the duplicate key at `position`, so that the parser can continue. Returns false
    /// if the character cannot be replaced, or if the file has too many duplicate keys for its size.
    mutating func maskKey(at position: Position) -> Bool {
        let (work, overflow) = characters.count.multipliedReportingOverflow(by: maskedKeys.count + 1)
        guard !overflow, work <= YAMLSource.maximumRepeatedWork, maskedKeys.count < 0xFFFF else { return false }
        guard lineStarts.indices.contains(position.line - 1) else { return false }
        var index = lineStarts[position.line - 1] + position.column - 1
        guard characters.indices.contains(index) else { return false }
        if characters[index] == "\"" || characters[index] == "'" { index += 1 }
        guard characters.indices.contains(index), YAMLSource.isNameCharacter(characters[index]) else { return false }
        maskedKeys.append(characters[index])
        characters[index] = YAMLSource.mask(maskedKeys.count)
        return true
    }

    /// Restores the original characters in `text`, which comes from the parser.
    func unmasked(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: YAMLSource.isMask) else { return text }
        var result = String.UnicodeScalarView()
        for character in text.unicodeScalars {
            let index = Int(character.value) - Int(YAMLSource.aliasMark.value)
            switch index {
            case 0: result.append("*")
            case let number where maskedKeys.indices.contains(number - 1): result.append(maskedKeys[number - 1])
            default: result.append(character)
            }
        }
        return String(result)
    }

    /// Reports whether the line of `position` contains `${`. Braces around such a text break it.
    func hasSubstitution(at position: Position) -> Bool {
        guard lineStarts.indices.contains(position.line - 1) else { return false }
        let line = characters[lineStarts[position.line - 1]...].prefix { $0 != "\n" && $0 != "\r" }
        return zip(line, line.dropFirst()).contains { $0 == "$" && $1 == "{" }
    }

    /// Returns the characters of the line with this number, counted from 1, with `*` for each replaced character. Empty
    /// if there is no such line.
    func line(_ number: Int) -> [Unicode.Scalar] {
        guard lineStarts.indices.contains(number - 1) else { return [] }
        let line = characters[lineStarts[number - 1]...].prefix { $0 != "\n" && $0 != "\r" }
        return line.map { YAMLSource.isMask($0) ? "*" : $0 }
    }

    /// Returns the nearest line above `number` that is neither empty nor a comment.
    func lineWithText(before number: Int) -> Int? {
        (1..<max(number, 1)).last { line($0).first { $0 != " " }.map { $0 != "#" } ?? false }
    }

    /// Reports whether an anchor's name can contain the character.
    static func isNameCharacter(_ character: Unicode.Scalar) -> Bool {
        switch character {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
        default: false
        }
    }

    private mutating func maskAliases() {
        for index in characters.indices.dropLast()
        where characters[index] == "*" && YAMLSource.isNameCharacter(characters[index + 1]) {
            characters[index] = YAMLSource.aliasMark
        }
    }

    private static func mask(_ number: Int) -> Unicode.Scalar {
        Unicode.Scalar(0xF_0000 + UInt32(number)) ?? "\u{F0000}"
    }

    private static func isMask(_ character: Unicode.Scalar) -> Bool {
        (0xF_0000...0xF_FFFF).contains(character.value)
    }

    /// Reports whether a file may contain the character: the printable characters of YAML 1.2.2 section 5.1, without
    /// the masks and the byte order mark.
    private static func isAllowed(_ character: Unicode.Scalar) -> Bool {
        switch character.value {
        case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0x85, 0xA0...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD: true
        case 0x1_0000...0x10_FFFF: !isMask(character)
        default: false
        }
    }
}

/// The reason why a text is no readable YAML document.
struct YAMLError: Error {
    let position: Position
    let message: String

    init(_ position: Position, _ message: String) {
        self.position = position
        self.message = message
    }
}

/// Finds the position at which each line starts. Uses the same line ends as the parser: LF, CR, CR LF, and the line
/// ends of Unicode.
private struct LineCounter {
    private(set) var starts = [0]
    private var index = 0
    private var previous: Unicode.Scalar = " "

    var position: Position {
        Position(line: starts.count, column: index - (starts.last ?? 0) + 1)
    }

    mutating func count(_ character: Unicode.Scalar) {
        index += 1
        switch character {
        case "\n" where previous == "\r": starts[starts.count - 1] = index
        case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": starts.append(index)
        default: break
        }
        previous = character
    }
}
