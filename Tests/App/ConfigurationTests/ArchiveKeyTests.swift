import Configuration
import Foundation
import Testing

/// Tests of the key `archives`, the directories whose archives are served.
@Suite(.serialized) struct ArchiveKeyTests {
    private func warnings(_ text: String) throws -> [String] {
        var found: [String] = []
        _ = try Configuration.parse(text: text, file: "t.yaml", opensSources: true) { found.append("\($0)") }
        return found
    }

    private func withDirectory(_ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        defer { unlink(path + "/Old Town.pmtiles") }
        defer { rmdir(path) }
        try body(path)
    }

    @Test func needsNoLayersBesideArchives() throws {
        #expect(try parsed("archives: [data/]").archives == ["data/"])
        #expect(problems("archives: []\n").first?.contains("at least one layer is needed") == true)
    }

    @Test func refusesADirectoryThatCannotBeRead() {
        let found = problems("archives: [/nowhere/at/all]", opensSources: true)
        #expect(found.count == 1 && found[0].contains("archives: /nowhere/at/all: the directory cannot be read"))
    }

    @Test func warnsOfFilesThatAreNotServed() throws {
        try withDirectory { directory in
            #expect(FileManager.default.createFile(atPath: directory + "/Old Town.pmtiles", contents: Data()))
            let found = try warnings("archives: [\"\(directory)\"]")
            #expect(found.count == 1 && found[0].contains("Old Town.pmtiles") && found[0].contains("a-z"), "\(found)")
        }
    }

    /// An archive can bring a layer later, but only one whose name is valid.
    @Test func warnsOfAMapThatLacksALayer() throws {
        try withDirectory { directory in
            let layers = "archives: [\"\(directory)\"]\nlayers: { grid: { generator: grid } }\n"
            let found = try warnings(layers + "maps: { m: { base: grid, layers: [city] } }")
            #expect(found.count == 1 && found[0].contains("\"city\"") && found[0].contains("city.pmtiles"), "\(found)")
            let wrong = problems(layers + "maps: { m: { layers: [City] }, n: { layers: [m] }, o: { base: admin } }")
            #expect(wrong.count == 3 && wrong[0].contains("\"City\"") && wrong[1].contains("is a map"), "\(wrong)")
        }
        let without = problems("layers: { grid: { generator: grid } }\nmaps: { m: { layers: [city] } }")
        #expect(without.count == 1 && without[0].contains("no layer is named"))
    }

    @Test func isReplacedByAURLOfTheCommandLine() throws {
        let template = "https://tile.example.org/{z}/{x}/{y}.png"
        let configuration = try Configuration.parse(
            text: "archives: [data]", file: "t.yaml", overrides: .init(url: template))
        #expect(configuration.archives.isEmpty && configuration.layers.count == 1)
    }
}
