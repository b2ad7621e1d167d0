import Bytes
import MapGeometry
import Tiles
import Testing

@testable import TileArchives
@testable import TileSources

@Suite struct MBTilesWriterTests {
    private let directory: ArchiveDirectory
    private let target: String

    init() throws {
        directory = try ArchiveDirectory()
        target = directory("a.mbtiles")
    }

    @Test func writesTilesThatTheReaderFinds() throws {
        let area = try smallArea(zoom: 6)
        var writer = try MBTilesWriter(target: target, replaces: false)
        for tile in area.tiles { try writer.append(tile, image(tile)) }
        try writer.finish(sampleDescription)
        #expect(try directory.names == ["a.mbtiles"])
        let file = try MBTilesFile(path: target)
        for tile in area.tiles { #expect(bytes(file, tile) == image(tile)) }
        let missing = TileSources.MBTilesFile.Content.absent
        guard case (.absent, .absent) = (missing, content(file, tile(6, 0, 0))) else {
            Issue.record("a tile that was not written")
            return
        }
        #expect(MBTilesFile.doubt(path: target) == nil)
    }

    @Test func writesMetadata() throws {
        var writer = try MBTilesWriter(target: target, replaces: false)
        try writer.append(tile(0, 0, 0), image(tile(0, 0, 0)))
        try writer.finish(sampleDescription)
        let found = try MBTilesFile(path: target).description
        #expect(found.name == sampleDescription.name)
        #expect(found.description == sampleDescription.description)
        #expect(found.attribution == sampleDescription.attribution)
        #expect(found.version == sampleDescription.version)
        #expect(found.kind == sampleDescription.kind)
        #expect(found.bounds == sampleDescription.bounds)
        #expect(found.center == sampleDescription.center)
        // The zooms of the tiles win over those of the description.
        #expect(found.zooms == 0...0)
        #expect(try fields()["format"] == "png")
    }

    @Test func completesMetadataFromTheTiles() throws {
        var writer = try MBTilesWriter(target: target, replaces: false)
        for z in 2...4 { try writer.append(tile(z, 0, 0), image(tile(z, 0, 0))) }
        try writer.finish(SourceDescription())
        #expect(try fields() == ["name": "a", "minzoom": "2", "maxzoom": "4"])
    }

    @Test func writesABoxAcrossTheAntimeridian() throws {
        var description = SourceDescription()
        description.bounds = GeographicBox(west: 170, south: -10, east: -170, north: 10)
        description.format = .gif
        var writer = try MBTilesWriter(target: target, replaces: false)
        try writer.finish(description)
        let found = try MBTilesFile(path: target).description.bounds
        #expect(found == GeographicBox(west: -180, south: -10, east: 180, north: 10))
        #expect(try fields()["bounds"] == "-180.0,-10.0,180.0,10.0")
        #expect(try fields()["format"] == "image/gif")
    }

    @Test func storesEqualImagesOnce() throws {
        let (sea, land) = (SharedBytes("sea"), SharedBytes("land"))
        var writer = try MBTilesWriter(target: target, replaces: false)
        for (index, tile) in try smallArea(zoom: 4).tiles.enumerated() {
            try writer.append(tile, index % 3 == 0 ? land : sea)
        }
        try writer.finish(sampleDescription)
        #expect(try count("images") == 2)
        #expect(try count("tiles") == smallArea(zoom: 4).count)
    }

    @Test func repeatsImagesBeyondTheLimitOfHashes() throws {
        var writer = try MBTilesWriter(target: target, replaces: false, images: ImageNumbers(limit: 1))
        let tiles = Array(try smallArea(zoom: 3).tiles.prefix(4))
        for (tile, text) in zip(tiles, ["sea", "land", "sea", "land"]) { try writer.append(tile, SharedBytes(text)) }
        try writer.finish(sampleDescription)
        #expect(try count("images") == 3)
        let file = try MBTilesFile(path: target)
        #expect(tiles.map { bytes(file, $0)?.text } == ["sea", "land", "sea", "land"])
    }

    @Test func showsTheFileOnlyWhenItIsWhole() throws {
        try directory.make("a.mbtiles")
        var writer = try MBTilesWriter(target: target, replaces: true)
        try writer.append(tile(0, 0, 0), image(tile(0, 0, 0)))
        #expect(try directory.bytes("a.mbtiles") == Array("old".utf8))
        #expect(try directory.names.count { $0.hasSuffix(".part") } == 1)
        try writer.finish(sampleDescription)
        #expect(try directory.bytes("a.mbtiles").starts(with: Array("SQLite format 3".utf8)))
        #expect(try directory.names == ["a.mbtiles"])
        writer.discard()
        #expect(try directory.names == ["a.mbtiles"])
    }

    @Test func doesNotReplaceAFileThatAppears() throws {
        var writer = try MBTilesWriter(target: target, replaces: false)
        try directory.make("a.mbtiles")
        #expect(throws: TileArchiveError.exists(path: target)) { try writer.finish(sampleDescription) }
        writer.discard()
        #expect(try directory.bytes("a.mbtiles") == Array("old".utf8))
        #expect(try directory.names == ["a.mbtiles"])
    }

    @Test func leavesNothingAfterAnError() throws {
        var writer = try MBTilesWriter(target: target, replaces: false)
        try writer.append(tile(1, 1, 0), image(tile(1, 1, 0)))
        #expect(throws: TileArchiveError.outOfOrder(tile(1, 1, 0), after: tile(1, 1, 0))) {
            try writer.append(tile(1, 1, 0), image(tile(1, 1, 0)))
        }
        writer.discard()
        #expect(try directory.names.isEmpty)
        #expect(throws: TileArchiveError.self) { try writer.append(tile(1, 1, 1), image(tile(1, 1, 1))) }
        #expect(throws: TileArchiveError.self) { try writer.finish(sampleDescription) }
        #expect(throws: TileArchiveError.self) {
            try MBTilesWriter(target: directory("none/a.mbtiles"), replaces: false)
        }
        #expect(try directory.names.isEmpty)
    }

    @Test func removesADraftThatIsForgotten() throws {
        var writer: MBTilesWriter? = try MBTilesWriter(target: target, replaces: false)
        try writer?.append(tile(0, 0, 0), image(tile(0, 0, 0)))
        #expect(try directory.names.count == 1)
        writer = nil
        #expect(try directory.names.isEmpty)
    }

    private func content(_ file: MBTilesFile, _ tile: TileCoordinate) -> MBTilesFile.Content {
        file.content(z: tile.z, x: tile.x, row: tile.tmsRow, maxBytes: 1_000, seconds: 60)
    }

    private func bytes(_ file: MBTilesFile, _ tile: TileCoordinate) -> SharedBytes? {
        guard case .bytes(let bytes) = content(file, tile) else { return nil }
        return bytes
    }

    private func fields() throws -> [String: String] {
        let connection = try MBTilesConnection(target, seconds: 60)
        return try connection.read(within: 60) {
            var fields: [String: String] = [:]
            let rows = try connection.statement("SELECT name, value FROM metadata")
            while try rows.next() { fields[rows.text(0) ?? ""] = rows.text(1) }
            return fields
        }
    }

    private func count(_ table: String) throws -> Int? {
        let connection = try MBTilesConnection(target, seconds: 60)
        return try connection.read(within: 60) {
            let rows = try connection.statement("SELECT count(*) FROM \(table)")
            return try rows.next() ? rows.int(0) : nil
        }
    }
}
