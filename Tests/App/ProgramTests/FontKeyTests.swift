import Foundation
import TestSupport
import Testing

/// The key `fonts`, with the font files of TextTests.
@Suite(.blocking) struct FontKeyTests {
    private let directory: ScratchDirectory
    private var scratch: String { directory.path }

    init() throws {
        directory = try ScratchDirectory()
        let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Picture/TextTests/Fixtures")
        try FileManager.default.copyItem(at: fixtures, to: URL(fileURLWithPath: "\(scratch)/fonts"))
    }

    private func write(fonts: String) throws -> String {
        let text =
            "server: { port: 0, reactors: 1 }\n\(fonts)\ncache: { directory: \(scratch) }\n"
            + "layers: { a: { generator: solid, attribution: 国国国 क } }\n"
        try text.write(toFile: "\(scratch)/t.yaml", atomically: true, encoding: .utf8)
        return "\(scratch)/t.yaml"
    }

    private func output(_ words: [String]) throws -> String {
        let program = try Program(words, configuration: nil)
        let lines = program.lines(of: program.output) { _ in false } + program.lines(of: program.errors) { _ in false }
        _ = program.ending()
        return lines.joined(separator: "\n")
    }

    private func image(_ port: Int) throws -> [UInt8] {
        let response = try RawClient(port: port).get("/a/static/0,0,1/200x60.png")
        #expect(response.status == 200)
        return response.body
    }

    /// A relative path starts at the directory of the file. The font of the collection draws 国, and no font draws क.
    @Test func drawsWithTheFontsOfTheConfiguration() throws {
        var images: [[UInt8]] = []
        for (fonts, missing) in [("", ["Deva", "Hani"]), ("fonts: [fonts/collection.ttc]", ["Deva"])] {
            let server = try Program(["serve", "--config", write(fonts: fonts)], configuration: nil)
            let port = try #require(server.port())
            images.append(try image(port))
            #expect(try image(port) == images.last)
            server.send(SIGTERM)
            let lines = server.lines(of: server.errors) { _ in false }.filter { $0.contains("glyph_missing") }
            #expect(lines.count == missing.count, "\(lines)")
            for script in missing { #expect(lines.contains { $0.contains("\"script\":\"\(script)\"") }, "\(lines)") }
            #expect(server.ending() == .status(0))
        }
        #expect(images[0] != images[1])
    }

    @Test func namesEachUnusableFont() throws {
        let fonts = "fonts: [none.ttf, fonts/pictures.ttf, t.yaml, fonts/collection.ttc#1, fonts/collection.ttc#2]"
        let text = try output(["check", write(fonts: fonts)])
        for problem in [
            "none.ttf: No such file or directory", "fonts/pictures.ttf: the font has pictures of its letters",
            "t.yaml: the file is not a TrueType or OpenType font",
            "collection.ttc#2: the file has no font #2, only #0 to #1",
        ] {
            #expect(text.contains("fonts: \(scratch)/") && text.contains(problem), "\(text)")
        }
        #expect(!text.contains("ttc#1:"))
    }

    /// `doctor` counts the characters of the attributions that no font has.
    @Test func countsMissingCharacters() throws {
        let without = try output(["doctor", "--config", write(fonts: "")])
        #expect(
            without.contains("no font contains 2 characters of the attributions: क (script Deva); 国 (script Hani);"),
            "\(without)")
        let with = try output(["doctor", "--config", write(fonts: "fonts: [fonts]")])
        #expect(with.contains("no font contains 1 character of the attributions: क (script Deva);"), "\(with)")
        let all = try output(["doctor", "--config", write(fonts: "fonts: [fonts/collection.ttc#1]")])
        #expect(all.contains("the fonts contain all characters"), "\(all)")
    }

    @Test func needsARestart() throws {
        let file = try write(fonts: "")
        let server = try Program(["serve", "--config", file], configuration: nil)
        let port = try #require(server.port())
        _ = try write(fonts: "fonts: [fonts/curves.otf]")
        let report = try output(["reload", "--config", file, "--port", "\(port)"])
        #expect(report.contains("After a restart, it also uses the new fonts."), "\(report)")
    }
}
