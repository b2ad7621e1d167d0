import Foundation
import MapGeometry
import Testing

@testable import TileArchives

@Suite struct DirectoryWriterTests {
    private let directory: ArchiveDirectory
    private let target: String

    init() throws {
        directory = try ArchiveDirectory()
        target = directory("out")
    }

    private var files: Set<String> {
        get throws {
            Set(try FileManager.default.subpathsOfDirectory(atPath: target).filter { $0.contains(".") })
        }
    }

    @Test func writesTilesAndThenTileJSON() throws {
        let area = try smallArea(zoom: 4)
        var writer = try DirectoryWriter(path: target, replaces: false, format: .jpeg)
        for tile in area.tiles { try writer.append(tile, image(tile)) }
        let tiles = Set(area.tiles.map { "\($0).jpg" })
        #expect(try files == tiles)
        try writer.finish(sampleDescription)
        #expect(try files == tiles.union(["tilejson.json"]))
        for tile in area.tiles { #expect(try directory.bytes("out/\(tile).jpg") == image(tile).array) }
        let document = try JSONSerialization.jsonObject(with: Data(directory.bytes("out/tilejson.json")))
        #expect((document as? [String: Any])?["tiles"] as? [String] == ["{z}/{x}/{y}.jpg"])
        writer.discard()
        #expect(try files.count == tiles.count + 1)
    }

    @Test func refusesADirectoryWithFiles() throws {
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
        try directory.make("out/a.txt")
        #expect(throws: TileArchiveError.notEmpty(path: target)) {
            try DirectoryWriter(path: target, replaces: false, format: .png)
        }
        var writer = try DirectoryWriter(path: target, replaces: true, format: .png)
        try writer.append(tile(0, 0, 0), image(tile(0, 0, 0)))
        // The writer does not know which tiles are its own.
        writer.discard()
        #expect(try files == ["a.txt", "0/0/0.png"])
    }

    @Test func replacesTiles() throws {
        for text in ["first", "second"] {
            var writer = try DirectoryWriter(path: target, replaces: true, format: .png)
            try writer.append(tile(0, 0, 0), .init(text))
            try writer.finish(sampleDescription)
        }
        #expect(try directory.bytes("out/0/0/0.png") == Array("second".utf8))
        #expect(try files == ["0/0/0.png", "tilejson.json"])
    }

    @Test func removesItsTilesAfterADiscard() throws {
        var writer = try DirectoryWriter(path: target, replaces: false, format: .png)
        for tile in try smallArea(zoom: 3).tiles { try writer.append(tile, image(tile)) }
        writer.discard()
        #expect(try directory.names.isEmpty)
        #expect(throws: TileArchiveError.closed(path: target)) { try writer.append(tile(5, 0, 0), .empty) }
        #expect(throws: TileArchiveError.closed(path: target)) { try writer.finish(sampleDescription) }
    }

    @Test func keepsFilesOfOthersAfterADiscard() throws {
        var writer = try DirectoryWriter(path: target, replaces: false, format: .png)
        try writer.append(tile(1, 1, 0), image(tile(1, 1, 0)))
        try directory.make("out/1/1/readme.txt")
        writer.discard()
        #expect(try files == ["1/1/readme.txt"])
    }

    @Test func refusesAFileInPlaceOfADirectory() throws {
        try directory.make("out")
        #expect(throws: TileArchiveError.self) { try DirectoryWriter(path: target, replaces: true, format: .png) }
        #expect(throws: TileArchiveError.self) {
            try DirectoryWriter(path: directory("none/out"), replaces: true, format: .png)
        }
        #expect(try directory.names == ["out"])
    }

    @Test func writesABoxAcrossTheAntimeridian() throws {
        var description = sampleDescription
        description.bounds = GeographicBox(west: 170, south: -10, east: -170, north: 10)
        var writer = try DirectoryWriter(path: target, replaces: false, format: .png)
        try writer.finish(description)
        let document = try JSONSerialization.jsonObject(with: Data(directory.bytes("out/tilejson.json")))
        #expect((document as? [String: Any])?["bounds"] as? [Double] == [-180, -10, 180, 10])
    }
}
