import CFriBidi
import CHarfBuzz

/// A part of a line of text that HarfBuzz shapes in one call: it has one font, one script and one direction.
struct TextRun: Equatable {
    let scalars: Range<Int>
    let face: FontFace
    let script: hb_script_t
    /// The embedding level (UAX #9). A run with an odd level reads from right to left.
    let level: Int8

    static func == (one: TextRun, other: TextRun) -> Bool {
        one.scalars == other.scalars && one.face === other.face && one.script == other.script
            && one.level == other.level
    }
}

/// The runs of a line of text.
struct TextRuns {
    /// The scalars of the line, without control characters. Each white space is an ordinary space.
    let scalars: [UInt32]
    /// The runs in the order in which the text is stored and read.
    private(set) var runs: [TextRun] = []

    init(_ text: String, _ list: FontList) {
        if let scalars = Self.plain(text) {
            let hasLetters = scalars.contains { Unicode.Scalar($0)?.isLatinLetter ?? false }
            let script = hasLetters ? HB_SCRIPT_LATIN : HB_SCRIPT_COMMON
            runs = [TextRun(scalars: 0..<scalars.count, face: .dejaVu, script: script, level: 0)]
            self.scalars = scalars
            return
        }
        let characters = text.compactMap(Self.scalars)
        scalars = characters.flatMap { $0.map(\.value) }
        let levels = Self.levels(of: scalars)
        let scripts = Self.scripts(of: scalars)
        var (index, face) = (0, FontFace?.none)
        for character in characters {
            let found = list.face(for: character, near: face)
            face = found
            for _ in character {
                let run = TextRun(scalars: index..<index + 1, face: found, script: scripts[index], level: levels[index])
                index += 1
                if let last = runs.last, last.face === found, last.script == run.script, last.level == run.level {
                    runs[runs.count - 1] = TextRun(
                        scalars: last.scalars.lowerBound..<index, face: found, script: run.script, level: run.level)
                } else {
                    runs.append(run)
                }
            }
        }
    }

    /// The runs in the order in which they stand from left to right (UAX #9, rule L2).
    var visual: [TextRun] {
        var order = runs
        let highest = runs.map(\.level).max() ?? 0
        guard highest > 0 else { return runs }
        for level in stride(from: highest, to: 0, by: -1) {
            var start = 0
            while start < order.count {
                guard order[start].level >= level else {
                    start += 1
                    continue
                }
                let end = order[start...].firstIndex { $0.level < level } ?? order.count
                order[start..<end].reverse()
                start = end
            }
        }
        return order
    }

    /// Returns the scalars of `text` if all are ASCII or Latin letters of the program's own font. Such a text is a
    /// single run, so the slower search for fonts, scripts and directions is not needed. Nil for other texts.
    private static func plain(_ text: String) -> [UInt32]? {
        var scalars: [UInt32] = []
        scalars.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            guard 0x20...0x7E ~= scalar.value || scalar.isLatinLetter, FontFace.dejaVu.glyph(scalar) != nil else {
                return nil
            }
            scalars.append(scalar.value)
        }
        return scalars.isEmpty ? nil : scalars
    }

    /// Returns the scalars to shape for `character`. Nil for a control character, for which nothing is drawn.
    static func scalars(of character: Character) -> [Unicode.Scalar]? {
        if character == "\u{A0}" || character == "\u{202F}" { return [" "] }
        if character.isWhitespace { return [" "] }
        let shown = character.unicodeScalars.filter { $0.properties.generalCategory != .control }
        return shown.isEmpty ? nil : Array(shown)
    }

    private static func levels(of scalars: [UInt32]) -> [Int8] {
        var levels = [Int8](repeating: 0, count: scalars.count)
        // All scalars below U+0590 read from left to right or have no direction.
        guard scalars.contains(where: { $0 >= 0x590 }), let count = Int32(exactly: scalars.count) else { return levels }
        guard cfribidi_levels(scalars, count, &levels) else { return [Int8](repeating: 0, count: scalars.count) }
        return levels
    }

    /// Returns the script of each scalar. Spaces, marks and other scalars that occur in all scripts get the script of
    /// the scalar before them. At the beginning of the text, they get the first script after them (UAX #24).
    private static func scripts(of scalars: [UInt32]) -> [hb_script_t] {
        var scripts = scalars.map(ScriptOfScalar.of)
        let isShared: (hb_script_t) -> Bool = ScriptOfScalar.isShared
        var current = scripts.first { !isShared($0) } ?? HB_SCRIPT_COMMON
        for index in scripts.indices {
            if isShared(scripts[index]) { scripts[index] = current } else { current = scripts[index] }
        }
        return scripts
    }
}

extension Unicode.Scalar {
    /// True for the letters A to Z and a to z, and for the letters of Latin-1 and Latin Extended-A. The comparison of
    /// numbers is faster than a look-up of the scalar's properties.
    var isLatinLetter: Bool {
        switch value {
        case 0x41...0x5A, 0x61...0x7A, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x17F: true
        default: false
        }
    }
}
