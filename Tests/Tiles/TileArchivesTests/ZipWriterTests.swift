import Bytes
import Foundation
import MapGeometry
import Raster
import Testing

@testable import TileArchives

@Suite struct ZipWriterTests {
    private let directory: ArchiveDirectory
    private let target: String

    init() throws {
        directory = try ArchiveDirectory()
        target = directory("a.zip")
    }

    @Test func writesTilesAndTileJSON() throws {
        let area = try smallArea(zoom: 4)
        var writer = try ZipWriter(target: target, replaces: false, format: .webp)
        for tile in area.tiles { try writer.append(tile, image(tile)) }
        #expect(try directory.names.count == 1)
        try writer.finish(sampleDescription)
        #expect(try directory.names == ["a.zip"])
        let entries = try ZipReader(directory.bytes("a.zip")).entries()
        #expect(entries.map(\.name) == area.tiles.map { "\($0).webp" } + ["tilejson.json"])
        for (entry, tile) in zip(entries, area.tiles) { #expect(entry.content == image(tile).array) }
        let last = try #require(entries.last)
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(last.content)) as? [String: Any])
        #expect(document["tilejson"] as? String == "3.0.0")
        #expect(document["tiles"] as? [String] == ["{z}/{x}/{y}.webp"])
        #expect(document["bounds"] as? [Double] == [10, -20, 90, 60])
        #expect(document["center"] as? [Double] == [8.5, 47.25, 3])
        #expect(document["minzoom"] as? Int == 0 && document["maxzoom"] as? Int == 4)
        #expect(document["name"] as? String == sampleDescription.name)
    }

    @Test func hasZIP64RecordsForManyEntries() throws {
        var writer = try ZipWriter(target: target, replaces: false, format: .png)
        let tiles = try ExportArea(.world, zooms: 8...8).tiles.prefix(65_534)
        let pixel = SharedBytes("pixel")
        for tile in tiles { try writer.append(tile, pixel) }
        try writer.finish(sampleDescription)
        let reader = try ZipReader(directory.bytes("a.zip"))
        #expect(reader.hasZIP64)
        #expect(try reader.entries().count == 65_535)
    }

    @Test func hasNoZIP64RecordsForFewEntries() throws {
        var writer = try ZipWriter(target: target, replaces: false, format: .png)
        try writer.finish(sampleDescription)
        let reader = try ZipReader(directory.bytes("a.zip"))
        #expect(!reader.hasZIP64)
        #expect(try reader.entries().map(\.name) == ["tilejson.json"])
    }

    @Test func hasAZIP64OffsetBeyond4GiB() {
        let near = ZipRecords.Entry(name: Array("a".utf8), checksum: 1, size: 2, offset: 0xFFFF_FFFE)
        let far = ZipRecords.Entry(name: Array("a".utf8), checksum: 1, size: 2, offset: 0xFFFF_FFFF)
        #expect(near.directoryHeader.count == 47)
        #expect(Array(near.directoryHeader[42..<46]) == [0xFE, 0xFF, 0xFF, 0xFF])
        #expect(far.directoryHeader.count == 59)
        #expect(Array(far.directoryHeader[42..<46]) == [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(Array(far.directoryHeader[47...]) == [1, 0, 8, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0])
        let end = ZipRecords.end(entries: 1, directory: 1 << 32..<(1 << 32 + 59))
        #expect(end.count == 56 + 20 + 22)
        #expect(Array(end[48..<56]) == [0, 0, 0, 0, 1, 0, 0, 0])
        #expect(ZipRecords.end(entries: 65_534, directory: 10..<20).count == 22)
    }

    @Test func makesEqualArchivesOfEqualTiles() throws {
        for name in ["a.zip", "b.zip"] {
            var writer = try ZipWriter(target: directory(name), replaces: false, format: .png)
            for tile in try smallArea(zoom: 3).tiles { try writer.append(tile, image(tile)) }
            try writer.finish(sampleDescription)
        }
        #expect(try directory.bytes("a.zip") == directory.bytes("b.zip"))
    }

    @Test func leavesNothingAfterADiscard() throws {
        try directory.make("a.zip")
        var writer = try ZipWriter(target: target, replaces: true, format: .png)
        try writer.append(tile(0, 0, 0), image(tile(0, 0, 0)))
        #expect(throws: TileArchiveError.self) { try writer.append(tile(0, 0, 0), image(tile(0, 0, 0))) }
        writer.discard()
        #expect(try directory.names == ["a.zip"])
        #expect(try directory.bytes("a.zip") == Array("old".utf8))
        #expect(throws: TileArchiveError.closed(path: target)) { try writer.append(tile(1, 0, 0), .empty) }
        #expect(throws: TileArchiveError.closed(path: target)) { try writer.finish(sampleDescription) }
    }

    @Test func doesNotReplaceAFileThatAppears() throws {
        var writer = try ZipWriter(target: target, replaces: false, format: .png)
        try directory.make("a.zip")
        #expect(throws: TileArchiveError.exists(path: target)) { try writer.finish(sampleDescription) }
        writer.discard()
        #expect(try directory.bytes("a.zip") == Array("old".utf8))
    }

    @Test func writesImagesLargerThanItsBuffer() throws {
        var writer = try ZipWriter(target: target, replaces: false, format: .png)
        let large = SharedBytes((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        try writer.append(tile(0, 0, 0), large)
        try writer.append(tile(1, 0, 0), .empty)
        try writer.append(tile(1, 0, 1), large)
        try writer.finish(sampleDescription)
        let entries = try ZipReader(directory.bytes("a.zip")).entries()
        #expect(entries.map(\.content.count) == [1_000_000, 0, 1_000_000, entries[3].content.count])
        #expect(entries[2].content == large.array)
    }
}
