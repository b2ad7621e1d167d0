import Text

/// Prints the glyphs of the texts on standard input, in the fonts that the arguments name. A line of the input is a
/// language, which may be empty, a tab, and a text. A line of the output has the fields of the text's glyphs from left
/// to right, separated by tabs, and the width of the text. The fields of a glyph are its font, its number, and the
/// place of its origin in units of the font.
let fonts = try FontList(Array(CommandLine.arguments.dropFirst())) { _ in }
while let line = readLine() {
    let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let shaped = fonts.line(parts[1], language: parts[0].isEmpty ? nil : parts[0])
    let fields = shaped.glyphs.flatMap { glyph in
        [
            glyph.face.location.map { "\($0)" } ?? "", "\(glyph.number)",
            "\(glyph.origin.x * glyph.face.unitsPerEm)", "\(glyph.origin.y * glyph.face.unitsPerEm)",
        ]
    }
    print((fields + ["\(shaped.width)"]).joined(separator: "\t"))
}
