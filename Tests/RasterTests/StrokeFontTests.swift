import Testing

@testable import Raster

@Suite struct StrokeFontTests {
    @Test func coversASCIIAndTheDegreeSign() {
        for code in Array(UInt8(0x20)...0x7E) + [0xB0] {
            #expect(StrokeFont.glyphs[Character(Unicode.Scalar(code))] != nil, "character \(code)")
        }
    }

    @Test func coversTheLettersOfLatin1() {
        for code in UInt8(0xC0)...0xFF where code != 0xD7 && code != 0xF7 {
            #expect(StrokeFont.glyphs[Character(Unicode.Scalar(code))] != nil, "character \(code)")
        }
    }

    /// But for letters that the languages that have them draw alike.
    @Test func noTwoCharactersLookTheSame() {
        var pictures: [String: Character] = [:]
        for (character, glyph) in StrokeFont.glyphs where !"Ð‘".contains(character) {
            let other = pictures.updateValue(character, forKey: "\(glyph.strokes)")
            #expect(other == nil, "\(character) looks like \(other ?? " ")")
        }
    }

    @Test func marksHaveALetterForEachBase() {
        for mark in StrokeFont.marks { #expect(mark.characters.count == mark.bases.count, "\(mark.characters)") }
    }

    @Test func drawsDecomposedLettersLikeComposedOnes() {
        let font = StrokeFont(size: 12)
        let origin = Point(x: 0, y: 20)
        #expect(font.path(for: "O\u{304}saka", at: origin).contours == font.path(for: "Ōsaka", at: origin).contours)
    }

    @Test func showsUnknownCharactersAsQuestionMarks() {
        let font = StrokeFont(size: 12)
        #expect(font.width(of: "a京b") == font.width(of: "a?b"))
    }

    /// What is measured is what is drawn, at every size.
    @Test(arguments: [6.0, 9, 11, 12.5, 18, 24, 48, 100]) func measuresWhatItDraws(size: Double) throws {
        let font = StrokeFont(size: size)
        for text in ["H", "MH", "0/0/0", "L49.25H", "Hello WorldN"] {
            let extent = try #require(font.path(for: text, at: Point(x: 3, y: 50)).extent)
            #expect(abs(extent.right - 3 - font.width(of: text)) <= size / 10 + 0.01, "\(text)")
        }
        #expect(font.width(of: "") == 0)
    }

    /// Moving text by whole pixels moves its pixels and changes none.
    @Test(arguments: [(1, 0), (0, 1), (37, 11), (-5, 3)]) func movesByWholePixels(dx: Int, dy: Int) {
        var (here, there) = (Canvas(width: 160, height: 80), Canvas(width: 160, height: 80))
        let (font, ink) = (StrokeFont(size: 17.3), RGBA(red: 0, green: 0, blue: 0))
        here.draw("49.25°N", at: Point(x: 20.3, y: 40.8), font: font, color: ink)
        there.draw("49.25°N", at: Point(x: 20.3 + Double(dx), y: 40.8 + Double(dy)), font: font, color: ink)
        for row in 5..<60 {
            for column in 5..<110 {
                let from = (row * 160 + column) * 4 + 3
                #expect(here.pixmap.bytes[from] == there.pixmap.bytes[from + (dy * 160 + dx) * 4])
            }
        }
    }
}
