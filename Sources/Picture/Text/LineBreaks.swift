import CHarfBuzz

extension Font {
    /// Splits `text` into at most `most` lines, each at most `width` pixels wide. A line ends after a space or a
    /// hyphen, or between ideographs. Thai and other scripts without spaces between words break only at a space or a
    /// hyphen. A line that is still too wide is cut and ends with an ellipsis, and so does the last line if text is
    /// left. Only the first 1,000 characters are used.
    package func lines(of text: String, width: Double, most: Int) -> [String] {
        var lines: [String] = []
        let whole = String(text.prefix(Self.mostCharacters).drop(while: LineBreaks.isSpace)).trimmed
        guard !whole.isEmpty else { return [] }
        // Most labels fit on one line, so the text is measured as a whole first, which is faster.
        if width == .infinity || most > 0 && self.width(of: whole) <= width { return [whole] }
        let pieces = LineBreaks.pieces(of: whole)
        for (index, piece) in pieces.enumerated() {
            if let last = lines.last, self.width(of: (last + piece).trimmed) <= width {
                lines[lines.count - 1] = last + piece
            } else if lines.count < most {
                lines.append(piece)
            } else {
                lines[most - 1] += pieces[index...].joined()
                break
            }
        }
        return lines.map { fitting($0.trimmed, width: width) }
    }

    /// Returns `line`, or its longest beginning that fits with an ellipsis into `width` pixels.
    private func fitting(_ line: String, width: Double) -> String {
        if self.width(of: line) <= width { return line }
        let characters = Array(line)
        // Searches the greatest number of characters that fit, by bisection.
        var (low, high) = (0, characters.count)
        while low < high {
            let middle = (low + high + 1) / 2
            if self.width(of: String(characters[..<middle]).trimmed + "…") <= width {
                low = middle
            } else {
                high = middle - 1
            }
        }
        return String(characters[..<low]).trimmed + "…"
    }

    private static let mostCharacters = 1_000
}

/// Functions that find the places at which a line of text may end. They implement a part of UAX #14.
enum LineBreaks {
    /// Splits `text` into pieces at all places at which a line may end. Spaces are at the end of the piece before them.
    static func pieces(of text: some StringProtocol) -> [String] {
        var pieces: [String] = []
        var last: Character?
        for character in text {
            if let before = last, !allowsBreak(between: before, and: character) {
                pieces[pieces.count - 1].append(character)
            } else if last != nil || !isSpace(character) {
                pieces.append(String(character))
            } else {
                continue
            }
            last = character
        }
        return pieces
    }

    private static func allowsBreak(between one: Character, and other: Character) -> Bool {
        if isSpace(other) { return false }
        if isSpace(one) { return true }
        if one == "-" || one == "\u{2010}" { return other.isLetter }
        guard isIdeographic(one) || isIdeographic(other) else { return false }
        return !joins(one) && !joins(other) && !opens(one) && !closes(other)
    }

    /// Reports whether `character` is a white space after which a line may end. Returns false for no-break spaces.
    static func isSpace(_ character: Character) -> Bool {
        // Latin letters return early, because looking up the properties of a character takes longer.
        if let first = character.unicodeScalars.first, first.isLatinLetter { return false }
        return character.isWhitespace && character != "\u{A0}" && character != "\u{202F}"
    }

    private static func joins(_ character: Character) -> Bool {
        character == "\u{A0}" || character == "\u{202F}" || character == "\u{2060}"
    }

    private static func isIdeographic(_ character: Character) -> Bool {
        guard let value = character.unicodeScalars.first?.value else { return false }
        if (0x3000...0x30FF).contains(value) || (0xFF00...0xFFEF).contains(value) { return true }
        return [HB_SCRIPT_HAN, HB_SCRIPT_HANGUL, HB_SCRIPT_BOPOMOFO, HB_SCRIPT_YI].contains(ScriptOfScalar.of(value))
    }

    private static func opens(_ character: Character) -> Bool {
        switch character.unicodeScalars.first?.properties.generalCategory {
        case .openPunctuation, .initialPunctuation: true
        default: false
        }
    }

    /// Reports whether the character must not begin a line: closing punctuation, and small Japanese letters.
    private static func closes(_ character: Character) -> Bool {
        switch character.unicodeScalars.first?.properties.generalCategory {
        case .closePunctuation, .finalPunctuation, .otherPunctuation: true
        default: "々ー゠ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ".contains(character)
        }
    }
}

extension String {
    /// The text without spaces at its end.
    fileprivate var trimmed: String {
        guard let end = lastIndex(where: { !LineBreaks.isSpace($0) }) else { return "" }
        return String(self[...end])
    }
}
