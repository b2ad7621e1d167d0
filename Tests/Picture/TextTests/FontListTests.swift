import Foundation
import Raster
import Synchronization
import Testing

@testable import Text

/// Fonts beside the font that the program carries. scripts/make-test-fonts makes the files.
@Suite struct FontListTests {
    private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Fixtures"
    private static let collection = fixtures + "/collection.ttc"

    /// Collects the events of a list.
    private final class Events: Sendable {
        private let all = Mutex<[FontList.Event]>([])
        var events: [FontList.Event] { all.withLock { $0 } }
        func add(_ event: FontList.Event) { all.withLock { $0.append(event) } }
    }

    private func list(_ locations: String..., memory: FontList.Memory = .standard) throws -> (FontList, Events) {
        let events = Events()
        return (try FontList(locations, memory) { events.add($0) }, events)
    }

    /// Returns a new directory with these fixtures under other names.
    private func directory(_ names: [String: String]) throws -> String {
        let path = FileManager.default.temporaryDirectory.appending(path: "fonts-\(UUID())").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for (name, fixture) in names {
            try FileManager.default.copyItem(atPath: "\(Self.fixtures)/\(fixture)", toPath: "\(path)/\(name)")
        }
        return path
    }

    @Test func takesTheFirstFontThatHasTheCharacter() throws {
        let (list, events) = try list(Self.collection, Self.collection + "#1")
        let font = Font(size: 100, list)
        // 国 is 1.0 wide in #0 and 3.0 in #1, which alone has क. ع is in #0.
        #expect(font.width(of: "国") == 100 && font.width(of: "क") == 70 && font.width(of: "ع") == 60)
        #expect(font.width(of: "a国") == font.width(of: "a") + 100)
        #expect(try self.list(Self.collection + "#1").0.line("国", language: nil).width == 3)
        #expect(font.path(for: "国", at: Point(x: 0, y: 100)).contours.count == 1)
        #expect(events.events.isEmpty)
    }

    /// Spaces and digits stay in the font of the text before them only if that font has them.
    @Test func takesDigitsFromAFontThatHasThem() throws {
        let font = Font(size: 100, try list(Self.collection).0)
        #expect(font.width(of: "国1 ") == 100 + font.width(of: "1 "))
    }

    @Test func choosesTheFormsOfALanguage() throws {
        let (list, _) = try list(Self.collection)
        #expect(Font(size: 100, list).width(of: "国") == 100)
        #expect(Font(size: 100, language: "ja", list).width(of: "国") == 90)
        #expect(Font(size: 100, language: "zh-Hant", list).width(of: "国") == 100)
    }

    @Test func reportsAMissingGlyphOnceAScript() throws {
        let (list, events) = try list(Self.collection)
        for text in ["क", "ख ग", "한", "国", "Ωω"] { _ = list.line(text, language: nil) }
        #expect(
            events.events == [.missingGlyph("क", script: "Deva"), .missingGlyph("한", script: "Hang")])
        #expect(list.missing(in: "国 a\u{200E} é कक").map(\.script) == ["Deva", "Deva"])
        #expect(FontList.standard.missing(in: "国").map(\.character) == ["国"])
    }

    /// HarfBuzz composes and decomposes characters, so that a font needs only one of the forms.
    @Test func findsComposedAndDecomposedCharacters() throws {
        let (list, events) = try list(Self.collection)
        for text in ["\u{226E}", "\u{1F08}θῆναι", "A\u{313}", "Zu\u{308}rich"] {
            #expect(list.missing(in: text).isEmpty)
            #expect(list.line(text).glyphs.allSatisfy { $0.number != 0 && $0.face === FontFace.dejaVu }, "\(text)")
        }
        #expect(events.events.isEmpty)
    }

    @Test func knowsTheFontsByTheirBytes() throws {
        let path = try directory(["a.ttc": "collection.ttc"])
        defer { try? FileManager.default.removeItem(atPath: path) }
        let (one, _) = try list(Self.collection)
        #expect(try one.identity == list("\(path)/a.ttc").0.identity && !one.identity.isEmpty)
        #expect(try one.identity != list(Self.collection + "#1").0.identity)
        #expect(FontList.standard.identity.isEmpty)
    }

    // MARK: Directories

    @Test func readsTheFontsOfADirectoryInOrder() throws {
        // Names with `Sans` come first. Fonts without outlines and other files are left out.
        let path = try directory([
            "aSerif.ttc": "pictures.ttf", "bSans.ttc": "collection.ttc", "c.TTF": "cut.ttf", "d.txt": "collection.ttc",
        ])
        defer { try? FileManager.default.removeItem(atPath: path) }
        let (list, events) = try list(path)
        #expect(Font(size: 10, list).width(of: "国") == 10)
        // Only the cut file may be worth a line.
        for event in events.events {
            guard case .unusable("\(path)/c.TTF", _) = event else {
                Issue.record("\(event)")
                continue
            }
        }
    }

    @Test func refusesADirectoryWithoutFonts() throws {
        let path = try directory(["a.txt": "collection.ttc", "b.ttf": "pictures.ttf"])
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(FontList.refusal(of: path) == .emptyDirectory)
    }

    // MARK: Files that are no fonts

    @Test func namesWhatIsWrongWithAFile() throws {
        #expect(FontList.refusal(of: Self.collection + "#1") == nil)
        #expect(FontList.refusal(of: Self.collection + "#2") == .noSuchIndex(2, count: 2))
        #expect(FontList.refusal(of: Self.fixtures + "/pictures.ttf") == .noOutlines)
        #expect(FontList.refusal(of: #filePath) == .notAFont)
        #expect(FontList.refusal(of: "/dev/null") != nil && FontList.refusal(of: Self.fixtures + "/no.ttf") != nil)
        let cut = try #require(FontList.refusal(of: Self.fixtures + "/cut.ttf"))
        #expect(cut == .notAFont || cut == .noOutlines)
        #expect("\(FontError.noSuchIndex(2, count: 2))" == "the file has no font #2, only #0 to #1")
        #expect(throws: FontList.LocatedError.self) { try list("/no/such/font.ttf") }
    }

    @Test func readsTheIndexOfALocation() {
        for (text, path, index) in [
            ("a.ttc#2", "a.ttc", 2), ("a.ttc", "a.ttc", 0), ("a#b.ttf", "a#b.ttf", 0), ("#1", "#1", 0),
            ("a#", "a#", 0), ("a#12345", "a#12345", 0), ("a#+1", "a#+1", 0),
        ] {
            #expect(FontLocation(text).path == path && FontLocation(text).index == index, "\(text)")
        }
    }

    /// A font that changes after the start would draw other letters than the identity says.
    @Test func refusesAFileThatChanged() throws {
        let path = try directory(["a.ttc": "collection.ttc"])
        defer { try? FileManager.default.removeItem(atPath: path) }
        let (list, events) = try list(path)
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: "\(path)/a.ttc"))
        #expect(list.line("国", language: nil).glyphs.map(\.number) == [0])
        _ = list.line("国国", language: nil)
        #expect(
            events.events == [
                .unusable(path: "\(path)/a.ttc", .changed), .missingGlyph("国", script: "Hani"),
            ])
    }

    // MARK: Memory

    @Test func opensNoFontBeyondTheMemory() throws {
        let (list, events) = try list(Self.collection, memory: FontList.Memory(files: 1_000, glyphs: 1 << 20))
        #expect(list.line("国", language: nil).glyphs.map(\.number) == [0])
        #expect(events.events.first == .unusable(path: Self.collection, .tooLarge(bytes: 1_540, limit: 1_000)))
        #expect(list.bytes < 3_000)
    }

    /// A font that the configuration names is open from the start. A font of a directory waits for its first character.
    @Test func opensNamedFontsAtTheStart() throws {
        let path = try directory(["a.ttc": "collection.ttc"])
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(try list(Self.collection).0.bytes > 1_500 && list(path).0.bytes < 1_500)
    }

    /// A text that may be as wide as it likes is one line.
    @Test func keepsATextWithoutAWidthTogether() throws {
        let font = Font(size: 12, .standard)
        #expect(font.lines(of: "  Rue de la Paix ", width: .infinity, most: 1) == ["Rue de la Paix"])
        #expect(font.lines(of: " ", width: .infinity, most: 1).isEmpty)
    }

    /// 20,000 texts, and a text of 64 KiB, stay within the memory.
    @Test func keepsGlyphsAndTextsWithinTheMemory() throws {
        let list = try list(memory: FontList.Memory(files: 0, glyphs: 64 << 10)).0
        let font = Font(size: 12, list)
        for number in 0..<20_000 {
            _ = font.width(of: "place \(number)")
            if number % 100 == 0 { #expect(list.bytes <= 64 << 10) }
        }
        _ = font.path(for: String(repeating: "a", count: 1 << 16), at: Point(x: 0, y: 0))
        #expect(list.bytes <= 64 << 10)
    }

    @Test func drawsTheSameOnManyThreads() throws {
        let font = Font(size: 20, try list(Self.collection, memory: FontList.Memory(files: 1 << 20, glyphs: 8_192)).0)
        let texts = (0..<40).map { "国 \($0) Zürich ع" }
        let expected = texts.map { font.path(for: $0, at: Point(x: 0, y: 0)).contours }
        let differences = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for (text, contours) in zip(texts, expected)
            where font.path(for: text, at: Point(x: 0, y: 0)).contours != contours {
                differences.add(1, ordering: .relaxed)
            }
        }
        #expect(differences.load(ordering: .relaxed) == 0)
    }
}
