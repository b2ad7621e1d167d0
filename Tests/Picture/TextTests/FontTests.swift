import Foundation
import Testing

@testable import Raster
@testable import Text

/// Texts in the font that the program carries.
@Suite struct FontTests {
    private func line(_ text: String) -> ShapedLine { FontList.standard.line(text, language: nil) }

    /// The assigned letters of Latin with its extensions, of Greek and of Cyrillic.
    @Test(arguments: [0x20...0x7E, 0xA0...0x17F, 0x180...0x24F, 0x386...0x3CE, 0x400...0x45F, 0x1EA0...0x1EF9])
    func coversEuropeanLanguages(codes: ClosedRange<Int>) {
        for scalar in codes.compactMap(Unicode.Scalar.init)
        where scalar.properties.generalCategory != .unassigned && scalar != "\u{AD}" {
            #expect(FontFace.dejaVu.glyph(scalar) != nil, "U+\(String(scalar.value, radix: 16)) \(scalar)")
        }
        for scalar in "‘’‚“”„‹›–—−…•€™№′″†".unicodeScalars {
            #expect(FontFace.dejaVu.glyph(scalar) != nil, "\(scalar)")
        }
    }

    @Test func showsABoxForEachUnknownCharacter() {
        let list = FontList.standard
        #expect(list.outline(of: 0, .dejaVu).contours.count >= 2)
        for text in ["国", "ع", "\u{10FFFE}"] { #expect(line(text).glyphs.map(\.number) == [0], "\(text)") }
        #expect(line("a国b").glyphs.filter { $0.number == 0 }.count == 1)
    }

    /// Direction marks, joiners, soft hyphens and control characters have no width.
    @Test func showsNothingForInvisibleCharacters() {
        let font = Font(size: 12)
        #expect(font.width(of: "a\u{200E}b\u{AD}c\u{2060}\u{7}") == font.width(of: "abc"))
        #expect(font.width(of: "a\u{A0}b\tc\r\nd") == font.width(of: "a b c d"))
        #expect(font.width(of: "") == 0 && font.path(for: " ", at: Point(x: 0, y: 0)).contours.isEmpty)
    }

    @Test func kernsAndJoinsLetters() {
        let font = Font(size: 100)
        #expect(font.width(of: "AV") < font.width(of: "A") + font.width(of: "V") - 1)
        #expect(line("fi").glyphs.count == 1 && line("f\u{200C}i").glyphs.count >= 2)
    }

    @Test func drawsDecomposedLettersLikeComposedOnes() {
        let font = Font(size: 12)
        let origin = Point(x: 0, y: 20)
        for text in ["Ōsaka", "Główny", "Țăndărică", "Ķekava", "Þingvellir", "ďťľĽģ", "Hà Nội", "Ёлка", "Ἀθῆναι"] {
            let decomposed = text.decomposedStringWithCanonicalMapping
            #expect(font.path(for: decomposed, at: origin).contours == font.path(for: text, at: origin).contours)
        }
    }

    /// A label is as wide at each scale.
    @Test(arguments: ["Zürich", "49.25°N", "AVATAR", "Владивосток"]) func hasTheSameWidthAtEachScale(text: String) {
        let width = Font(size: 11).width(of: text)
        for scale in [2.0, 3, 4] { #expect(abs(Font(size: 11 * scale).width(of: text) - scale * width) < 1e-9) }
    }

    /// Letters reach from the baseline to the tops of capitals and small letters, which are whole pixels.
    @Test(arguments: [6.0, 9, 11, 12.5, 18, 24, 48, 100]) func drawsSharpHeights(size: Double) throws {
        let font = Font(size: size)
        let capital = try #require(font.path(for: "H", at: Point(x: 3, y: 50)).extent)
        #expect(capital.bottom == 50 && capital.top == 50 - font.capHeight)
        let small = try #require(font.path(for: "x", at: Point(x: 3, y: 50)).extent)
        #expect(small.bottom == 50 && small.top == small.top.rounded())
    }

    @Test func drawsWithinItsWidth() throws {
        let font = Font(size: 40)
        for text in ["HMH", "0/0/0", "Hello World"] {
            let extent = try #require(font.path(for: text, at: Point(x: 3, y: 50)).extent)
            #expect(extent.left >= 3 && extent.right <= 3 + font.width(of: text), "\(text)")
            #expect(extent.right >= 3 + font.width(of: text) - 6)
        }
    }

    /// Moving text by whole pixels moves its pixels and changes none of them.
    @Test(arguments: [(1, 0), (0, 1), (37, 11), (-5, 3)]) func movesByWholePixels(dx: Int, dy: Int) {
        var (here, there) = (Canvas(width: 160, height: 80), Canvas(width: 160, height: 80))
        let (font, ink) = (Font(size: 17.3), RGBA(red: 0, green: 0, blue: 0))
        here.draw("49.25°N", at: Point(x: 20.3, y: 40.8), font: font, color: ink)
        there.draw("49.25°N", at: Point(x: 20.3 + Double(dx), y: 40.8 + Double(dy)), font: font, color: ink)
        for row in 5..<60 {
            for column in 5..<110 {
                let from = (row * 160 + column) * 4 + 3
                #expect(here.pixmap.bytes[from] == there.pixmap.bytes[from + (dy * 160 + dx) * 4])
            }
        }
    }

    /// Text of an attacker costs bounded time, and gives a picture.
    @Test func survivesHostileText() {
        let texts = [
            "e" + String(repeating: "\u{301}", count: 65_536), String(repeating: "\u{202E}a\u{202C}", count: 5_000),
            String(repeating: "a\n", count: 10_000), String(repeating: "\u{10FFFD}", count: 1_000),
            String(repeating: "\u{5D0}1(", count: 3_000), "\u{FEFF}\u{0}\u{FFFD}",
        ]
        for text in texts {
            var canvas = Canvas(width: 64, height: 64)
            canvas.draw(text, at: Point(x: 0, y: 40), font: Font(size: 12), color: RGBA(red: 0, green: 0, blue: 0))
            #expect(canvas.pixmap.bytes.count == 64 * 64 * 4)
        }
    }
}
