import Bytes
import Foundation
import MapGeometry
import Testing

@testable import TileArchives

@Suite struct PMTilesCheckTests {
    private func violations(_ sample: PMTilesArchiveSample) throws -> [String] {
        let archive = PMTilesMemory(bytes: sample.bytes)
        var violations: [String] = []
        _ = try PMTilesCheck(archive, length: archive.length).run(report: { violations.append($0) })
        return violations
    }

    /// An archive with 10 bytes of tile data and these entries in its root. All counts are unknown.
    private func sample(_ entries: [PMTilesDirectory.Entry], zoom: UInt8 = 1) -> PMTilesArchiveSample {
        var sample = PMTilesArchiveSample(root: PMTilesEncoder.plain(entries), tiles: Array("0123456789".utf8))
        (sample.counts, sample.kinds) = ([0, 0, 0], [1, 1, 1, 2, zoom, zoom])
        return sample
    }

    private func entry(_ id: UInt64, _ offset: UInt64, _ length: UInt32, run: UInt32 = 1) -> PMTilesDirectory.Entry {
        PMTilesDirectory.Entry(id: id, offset: offset, length: length, run: run)
    }

    @Test func findsNothingInASoundArchive() throws {
        #expect(try violations(PMTilesArchiveSample()).isEmpty)
        #expect(try violations(sample([entry(1, 0, 4), entry(2, 4, 6), entry(3, 0, 4)])).isEmpty)
    }

    /// The package pmtiles of PyPI has written this archive: tile 0 `world`, the tiles 1, 2 and 4 `sea`, tile 3 `land`.
    static let foreign = """
        UE1UaWxlcwN/AAAAAAAAACIAAAAAAAAAoQAAAAAAAAA5AAAAAAAAANoAAAAAAAAAAAAAAAAAAADaAAAAAAAAAAwAAAAAAAAABQAAAAAAAAAEAAAA
        AAAAAAMAAAAAAAAAAQIBAgABAC62lIAHVs0A0klrgPipMgFA/xAFQGgxHB+LCAAAAAAAAgNjYWBkYgQhVmYWZkYGBjYADnRy8BEAAAAfiwgAAAAA
        AAIDq1bKS8xNVbJSUApOzC3ISVXSUVBKLCkpykwqLcnMzwNJhBYr1QIAxy1TUScAAAB3b3JsZHNlYWxhbmQ=
        """

    @Test func readsAnArchiveOfAnotherProgram() throws {
        let data = try #require(Data(base64Encoded: Self.foreign, options: .ignoreUnknownCharacters))
        let archive = PMTilesMemory(bytes: Array(data))
        var (tiles, violations): ([String], [String]) = ([], [])
        let summary = try PMTilesCheck(archive, length: archive.length).run(report: { violations.append($0) }) { run in
            let text = try archive.read(run.bytes).text
            tiles += ArchivedImage(ids: run.ids, bytes: SharedBytes(text)).tiles.map { "\($0) \(text)" }
            return nil
        }
        #expect(tiles == ["0/0/0 world", "1/0/0 sea", "1/0/1 sea", "1/1/1 land", "1/1/0 sea"])
        #expect(violations.isEmpty && summary.images == 3 && summary.entries == 4 && summary.zooms == 0...1)
        let header = try PMTilesHeader(archive.read(0..<127), length: archive.length)
        let metadata = try PMTilesMetadata(archive.read(header.metadata), compression: .gzip)
        #expect(metadata.fields == ["name": "Sample", "attribution": "Us"])
    }

    @Test func findsTilesOutsideOfTheirData() throws {
        #expect(
            try violations(sample([entry(1, 0, 10), entry(2, 5, 6)])).contains { $0.contains("1/0/1 cannot be read") })
    }

    @Test func findsOverlappingImages() throws {
        var unordered = sample([entry(1, 5, 5), entry(2, 0, 6)])
        unordered.kinds[0] = 0
        #expect(try violations(unordered) == ["Images overlap: 1, the first is at offset 5."])
        let other = try violations(sample([entry(1, 0, 4), entry(2, 0, 5)]))
        #expect(other == ["Tile 1/0/1 has an image of 5 bytes at offset 0, but another entry has 4 bytes there."])
    }

    @Test func findsArchivesThatAreNotClustered() throws {
        let order = "the header says that images are stored in the order of tile IDs"
        #expect(
            try violations(sample([entry(1, 5, 5), entry(2, 0, 5)])) == [
                "Tile 1/0/0 has a new image at offset 5, expected offset 0: \(order).",
                "Tile 1/0/1 has a new image at offset 0, expected offset 10: \(order).",
            ])
    }

    @Test func findsWrongCountsAndZooms() throws {
        var wrong = sample([entry(1, 0, 4, run: 3), entry(5, 0, 4)])
        (wrong.counts, wrong.kinds[4], wrong.kinds[5]) = ([5, 3, 2], 0, 7)
        #expect(
            try violations(wrong) == [
                "The header says 5 tiles, but there are 4.", "The header says 3 entries, but there are 2.",
                "The header says 2 different images, but there are 1.",
                "The header says zooms 0 to 7, but the tiles have zooms 1 to 2.",
            ])
    }

    @Test func findsTilesOutsideOfTheBounds() throws {
        var western = sample([entry(1, 0, 4), entry(3, 4, 4, run: 2)])
        western.bounds = [-1_000_000_000, -800_000_000, -1_000_000, 800_000_000]
        #expect(try violations(western) == ["Tiles lie outside of the header's bounds: 2, the first is 1/1/1."])
        western.bounds = [1_700_000_000, -800_000_000, -1_700_000_000, 800_000_000]
        #expect(try violations(western).isEmpty)
    }

    @Test func findsLeavesThatOverlapTheirNeighbours() throws {
        let leaf = PMTilesEncoder.plain([entry(1, 0, 4), entry(2, 0, 4)])
        let length = UInt32(leaf.count)
        var twice = sample([entry(1, 0, length, run: 0), entry(2, 0, length, run: 0)])
        twice.leaves = leaf
        #expect(
            try violations(twice) == [
                "The entry of tile ID 2 follows tile ID 2, so the archive is not sorted.",
                "The leaf directory of tile ID 2 overlaps other leaf directories.",
            ])
        var other = sample([entry(0, 0, length, run: 0)])
        other.leaves = leaf
        #expect(try violations(other) == ["The leaf directory of tile ID 0 begins with tile ID 1, expected 0."])
    }

    @Test func endsInACycle() throws {
        let cycle = PMTilesEncoder.plain([entry(1, 0, 5, run: 0)])
        var sample = sample([entry(1, 0, 5, run: 0)])
        // Room for many leaves, so that only the depth ends the walk.
        sample.leaves = cycle + [UInt8](repeating: 0, count: 100)
        let sentence = "The leaf directory of tile ID 1 cannot be read: the archive has more than 3 levels"
        #expect(try violations(sample).contains { $0.hasPrefix(sentence) })
    }

    @Test func endsAfterManyViolations() throws {
        let entries = (0..<1_500).map { entry($0 + 1, 100, 1) }
        let found = try violations(sample(entries))
        #expect(found.count == 1_001 && found.last == "The check ends after 1000 faults.")
    }

    @Test func findsDamagedMetadataAndDirectories() throws {
        var damaged = PMTilesArchiveSample(root: [0])
        damaged.metadata = Array("[1]".utf8)
        let found = try violations(damaged)
        #expect(found.count == 2 && found[0].hasPrefix("The metadata is damaged: "))
        #expect(found[1].hasPrefix("The directory at byte 127 is damaged: no entries"))
    }

    @Test func countsImagesBeyondItsMemory() {
        var contents = PMTilesContents(isClustered: true, limit: 2)
        for offset in 0..<UInt64(5) { #expect(contents.add(offset * 3, 3) == nil) }
        #expect(contents.add(9, 3) == nil && contents.count == 5)
        var unordered = PMTilesContents(isClustered: false, limit: 3)
        for offset in [9, 6, 3, 0] as [UInt64] { #expect(unordered.add(offset, 3) == nil) }
        #expect(unordered.count == 4)
        unordered = PMTilesContents(isClustered: false, limit: 2)
        for offset in [0, 3, 6, 0, 6, 3] as [UInt64] { #expect(unordered.add(offset, 3) == nil) }
        #expect(unordered.count == nil)
    }

    @Test func readsRangesOfAFile() throws {
        let folder = try PMTilesFolder()
        let path = folder.path + "/a"
        try Data("0123456789".utf8).write(to: URL(filePath: path))
        let file = try PMTilesFileBytes(path)
        #expect(try file.read(3..<7).text == "3456")
        #expect(throws: PMTilesFileBytes.ReadError.cutOff(at: 10, wanted: 11)) { try file.read(9..<11) }
        #expect(throws: PMTilesFileBytes.ReadError.tooLong(bytes: .max, limit: 1 << 26)) { try file.read(0..<(.max)) }
        // The file becomes shorter after it was opened.
        #expect(truncate(path, 5) == 0)
        #expect(throws: PMTilesFileBytes.ReadError.cutOff(at: 5, wanted: 10)) { try file.read(3..<10) }
    }
}
