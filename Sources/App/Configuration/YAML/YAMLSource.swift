import Keys

/// The characters of a YAML file, judged and made safe to hand to the parser.
///
/// Two things the parser does are replaced by ours, by putting characters in the place of others that no file may hold
/// (plane 15, private use), so that every position stays what it is:
/// - The parser unfolds aliases itself, and hashes what it unfolded where it stands in a key: a few lines could keep it
///   busy for years. So the star of every alias is masked, which makes the alias plain text.
/// - The parser stops at a mapping that has a key twice, and nothing else in the file would be reported. So the first
///   character of such a key is masked, which makes it another key.
struct YAMLSource: Sendable {
    /// The character that stands for the star of an alias.
    static let aliasMark = mask(0)
    /// How many characters are parsed again, at most, for keys given twice. It bounds the work on a file made of them.
    private static let maximumRepeatedWork = 2 << 20

    private var characters: [Unicode.Scalar]
    private let lineStarts: [Int]
    private var maskedKeys: [Unicode.Scalar] = []

    /// Decodes `bytes`, which must be UTF-8 without control characters other than tab and line ends; a byte order mark
    /// at the start is dropped.
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

    /// Makes the key that begins at `position` another one. False where that cannot be done.
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

    /// `text` as it stands in the file, every mask taken off.
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

    /// Whether the line of `position` holds `${`, which braces around it break.
    func hasSubstitution(at position: Position) -> Bool {
        guard lineStarts.indices.contains(position.line - 1) else { return false }
        let line = characters[lineStarts[position.line - 1]...].prefix { $0 != "\n" && $0 != "\r" }
        return zip(line, line.dropFirst()).contains { $0 == "$" && $1 == "{" }
    }

    /// The characters of a line, counted from 1; none of one that is not there.
    func line(_ number: Int) -> [Unicode.Scalar] {
        guard lineStarts.indices.contains(number - 1) else { return [] }
        let line = characters[lineStarts[number - 1]...].prefix { $0 != "\n" && $0 != "\r" }
        return line.map { YAMLSource.isMask($0) ? "*" : $0 }
    }

    /// The nearest line above `number` that is neither empty nor a comment.
    func lineWithText(before number: Int) -> Int? {
        (1..<max(number, 1)).last { line($0).first { $0 != " " }.map { $0 != "#" } ?? false }
    }

    /// A character an anchor's name can have.
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

    /// The printable characters of YAML 1.2.2 section 5.1, less those used as masks.
    private static func isAllowed(_ character: Unicode.Scalar) -> Bool {
        switch character.value {
        case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0x85, 0xA0...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD: true
        case 0x1_0000...0x10_FFFF: !isMask(character)
        default: false
        }
    }
}

/// Why a text is no YAML document that can be read.
struct YAMLError: Error {
    let position: Position
    let message: String

    init(_ position: Position, _ message: String) {
        self.position = position
        self.message = message
    }
}

/// Finds where lines begin, by the line ends that the parser knows: LF, CR, CR LF, and those of Unicode.
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
