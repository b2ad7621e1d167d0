import Bytes
import Foundation
import Raster
import Text

/// Shows how texts are drawn. A line of standard input is a language, which may be empty, a tab, and a text.
///
///     shaping glyphs FONT…       a line for each text: the fields of its glyphs, separated by tabs, and its width
///     shaping sheet FILE FONT…   a PNG with the texts below each other at 24 pixels, at twice the scale
///
/// The fields of a glyph are its font, its number, and the place of its origin in units of the font.
func texts() -> [(language: String?, text: String)] {
    var texts: [(language: String?, text: String)] = []
    while let line = readLine() {
        let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        texts.append((parts[0].isEmpty ? nil : parts[0], parts[1]))
    }
    return texts
}

func printGlyphs(_ fonts: FontList) {
    for (language, text) in texts() {
        let shaped = fonts.line(text, language: language)
        let fields = shaped.glyphs.flatMap { glyph in
            [
                glyph.face.location.map { "\($0)" } ?? "", "\(glyph.number)",
                "\(glyph.origin.x * glyph.face.unitsPerEm)", "\(glyph.origin.y * glyph.face.unitsPerEm)",
            ]
        }
        print((fields + ["\(shaped.width)"]).joined(separator: "\t"))
    }
}

func drawSheet(_ fonts: FontList, _ path: String) throws {
    let texts = texts()
    var canvas = Canvas(width: 1_000, height: texts.count * 64 + 16, background: .white)
    for (row, (language, text)) in texts.enumerated() {
        canvas.draw(
            text, at: Point(x: 16, y: Double(row * 64 + 48)), font: Font(size: 48, language: language, fonts),
            color: .black)
    }
    let image = try ImageEncoder(png: PNGOptions()).encode(canvas.pixmap, as: .png)
    try Data(image.bytes.buffer).write(to: URL(fileURLWithPath: path))
}

let words = CommandLine.arguments.dropFirst()
switch words.first {
case "glyphs": printGlyphs(try FontList(Array(words.dropFirst())) { _ in })
case "sheet" where words.count > 1: try drawSheet(FontList(Array(words.dropFirst(2))) { _ in }, words[2])
default: print("usage: shaping glyphs FONT… | shaping sheet FILE FONT…")
}
