import Foundation
import Testing

@testable import Raster

@Suite struct StrokeFontTests {
    private func isKnown(_ character: Character) -> Bool {
        Font.glyph(of: character).map { $0.strokes != Font.unknown.strokes } ?? false
    }

    /// ASCII, Latin-1 and Latin Extended-A. The soft hyphen U+00AD is left out because it shows nothing.
    @Test func coversEuropeanLanguages() {
        for code in Array(0x20...0x7E) + Array(0xA0...0x17F) where code != 0xAD {
            let character = Unicode.Scalar(code).map(Character.init) ?? "?"
            #expect(isKnown(character), "U+\(String(code, radix: 16)) \(character)")
        }
        for character in "ȘșȚțẀẁẂẃẄẅỲỳẞəƏǍǎǦǧǪǫȦȧȀȂ‘’‚“”„‹›–—−…•€™№′″†" { #expect(isKnown(character), "\(character)") }
    }

    @Test func showsABoxForEachUnknownCharacter() {
        let font = Font(size: 12)
        let box = font.width(of: "国")
        #expect(!isKnown("国") && !isKnown("Ж") && !isKnown("ع") && !isKnown("👩🏽‍🚀"))
        #expect(font.width(of: "👩🏽‍🚀") == box && font.width(of: "e\u{20DD}") == box)
        #expect(font.width(of: "a国b") == font.width(of: "a") + font.width(of: "b") + box + 2 * 3)
    }

    /// Direction marks, joiners and soft hyphens have no width.
    @Test func showsNothingForInvisibleCharacters() {
        let font = Font(size: 12)
        #expect(font.width(of: "a\u{200E}b\u{AD}c\u{2060}") == font.width(of: "abc"))
        #expect(font.width(of: "a\u{A0}b") == font.width(of: "a b"))
    }

    /// The letter Ð is left out, because it is drawn like another letter.
    @Test func drawsEveryCharacterDifferently() {
        var pictures: [String: Character] = [:]
        for (character, glyph) in Font.glyphs where character != "Ð" {
            let other = pictures.updateValue(character, forKey: "\(glyph.strokes)")
            #expect(other == nil, "\(character) looks like \(other ?? " ")")
        }
    }

    /// A mark above i or j replaces the dot. With a mark below, the dot stays.
    @Test func replacesTheDotByAMarkAbove() {
        func strokes(_ character: Character) -> Int { Font.glyph(of: character)?.strokes.count ?? 0 }
        #expect(strokes("i") == 2 && strokes("í") == 2 && strokes("į") == 3 && strokes("ĵ") == 2 && strokes("ế") == 3)
    }

    @Test func drawsDecomposedLettersLikeComposedOnes() {
        let font = Font(size: 12)
        let origin = Point(x: 0, y: 20)
        for text in ["Ōsaka", "Główny", "Țăndărică", "Ķekava", "Þingvellir", "ďťľĽģ"] {
            let decomposed = text.decomposedStringWithCanonicalMapping
            #expect(font.path(for: decomposed, at: origin).contours == font.path(for: text, at: origin).contours)
        }
    }

    /// The measured width is the drawn width at every size.
    @Test(arguments: [6.0, 9, 11, 12.5, 18, 24, 48, 100]) func measuresTheDrawnWidth(size: Double) throws {
        let font = Font(size: size)
        for text in ["H", "MH", "0/0/0", "L49.25H", "Hello WorldN"] {
            let extent = try #require(font.path(for: text, at: Point(x: 3, y: 50)).extent)
            #expect(abs(extent.right - 3 - font.width(of: text)) <= size / 10 + 0.01, "\(text)")
        }
        #expect(font.width(of: "") == 0)
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
}
