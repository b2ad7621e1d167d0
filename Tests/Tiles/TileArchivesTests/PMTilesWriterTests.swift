import Bytes
import Foundation
import MapGeometry
import Raster
import TestSupport
import Testing
import Tiles

@testable import TileArchives

@Suite struct PMTilesWriterTests {
    private let folder: PMTilesFolder
    private var target: String { folder.path + "/map.pmtiles" }

    init() throws { folder = try PMTilesFolder() }

    private static func image(_ id: UInt64) -> SharedBytes {
        id % 10 < 3 ? SharedBytes("sea") : SharedBytes("tile \(id)")
    }

    private static let description: SourceDescription = {
        var description = SourceDescription()
        (description.name, description.attribution) = ("Map", "© \"Us\" <b>/</b>")
        (description.version, description.kind, description.format) = ("1.2.3", .baselayer, .webp)
        description.bounds = GeographicBox(west: 6, south: 45.1234567, east: 10.5, north: 47.8)
        return description
    }()

    /// Writes tiles with these IDs and returns the archive.
    private func archive(_ ids: some Sequence<UInt64>, known: Int = 1_000) throws -> PMTilesMemory {
        var writer = try PMTilesWriter(target: target, replaces: true, images: PMTilesImageIndex(half: known))
        for id in ids { try writer.append(try #require(PMTilesTileID(id)).tile, Self.image(id)) }
        try writer.finish(Self.description)
        return PMTilesMemory(bytes: Array(try Data(contentsOf: URL(filePath: target))))
    }

    /// Checks that an archive has no violations, and returns its images by ID.
    private func images(_ archive: PMTilesMemory) throws -> [UInt64: [UInt8]] {
        var images: [UInt64: [UInt8]] = [:]
        let check = PMTilesCheck(archive, length: archive.length)
        _ = try check.run(report: { if !$0.hasPrefix("Tiles lie outside") { Issue.record("\($0)") } }) { run in
            let image = try archive.read(run.bytes).array
            for id in run.ids { images[id] = image }
            return nil
        }
        return images
    }

    @Test(arguments: [1, 2, 500, 40_000] as [UInt64], [1, 7, 1_000_003] as [UInt64])
    func restoresTiles(count: UInt64, step: UInt64) throws {
        let ids = (0..<count).map { $0 * step }
        let archive = try archive(ids)
        #expect(try images(archive) == Dictionary(uniqueKeysWithValues: ids.map { ($0, Self.image($0).array) }))
        for id in ids.prefix(20) + ids.suffix(20) {
            #expect(try archive.tile(try #require(PMTilesTileID(id)).tile) == Self.image(id).array)
        }
        #expect(try archive.tile(#require(TileCoordinate(z: 30, x: 0, y: 0))) == nil)
        #expect(try folder.names == ["map.pmtiles"])
    }

    @Test func fitsTheRootIntoTheFirstBytes() throws {
        var random = SeededRandom(seed: 1)
        var id: UInt64 = 0
        // Steps and lengths that gzip cannot make smaller.
        let ids = (0..<40_000).map { _ in
            id += UInt64.random(in: 1...30_000_000_000_000, using: &random)
            return id
        }
        let archive = try archive(ids)
        let header = try PMTilesHeader(archive.read(0..<127), length: archive.length)
        #expect(header.root.upperBound <= 16_384 && !header.leaves.isEmpty)
        #expect(try images(archive).count == 40_000)
    }

    @Test func describesTheArchive() throws {
        let archive = try archive([5, 6, 7, 90])
        let header = try PMTilesHeader(archive.read(0..<127), length: archive.length)
        let metadata = try PMTilesMetadata(archive.read(header.metadata), compression: .gzip)
        let found = metadata.description(header, firstTile: nil)
        let given = Self.description
        #expect(found.name == given.name && found.attribution == given.attribution)
        #expect(found.version == given.version && found.kind == given.kind && found.format == given.format)
        #expect(found.bounds == given.bounds && found.zooms == 2...4)
        #expect(found.center == SourceDescription.Center(longitude: 8.25, latitude: 46.4617284, zoom: 2))
        #expect(header.isClustered && header.tiles.lowerBound == 16_384)
    }

    @Test func storesIdenticalImagesOnce() throws {
        // 10, 11, 12 and 20, 21, 22 are sea: two runs with one image.
        let archive = try archive(Array(10...12) + Array(20...23))
        let header = try PMTilesHeader(archive.read(0..<127), length: archive.length)
        #expect([header.addressedTiles, header.tileEntries, header.tileContents] == [7, 3, 2])
        #expect(header.tiles.count == "sea".utf8.count + "tile 23".utf8.count)
    }

    @Test func forgetsOnlyImagesThatAreNotUsed() throws {
        // The index knows 16 images. The sea comes back in time, and no other image comes back.
        let archive = try archive(0..<1_000, known: 8)
        let header = try PMTilesHeader(archive.read(0..<127), length: archive.length)
        #expect(header.tileContents == 701)
        var index = PMTilesImageIndex(half: 2)
        let keys = (0..<6).map { PMTilesImageIndex.Key(SharedBytes("\($0)")) }
        for (offset, key) in keys.enumerated() { index.insert(key, UInt64(offset)) }
        #expect(keys[0...1].allSatisfy { index.offset(of: $0) == nil })
        #expect(keys[4...5].map { index.offset(of: $0) } == [4, 5])
        // Image 2 moves to the new half, which becomes the old half once two more images follow.
        #expect(index.offset(of: keys[2]) == 2 && index.offset(of: keys[3]) == nil)
        index.insert(keys[0], 6)
        index.insert(keys[1], 7)
        #expect(index.offset(of: keys[2]) == 2 && index.offset(of: keys[4]) == nil)
    }

    @Test func refusesTilesOutOfOrder() throws {
        var writer = try PMTilesWriter(target: target, replaces: false)
        let (first, second) = (try #require(PMTilesTileID(7)).tile, try #require(PMTilesTileID(6)).tile)
        try writer.append(first, SharedBytes("a"))
        for tile in [first, second] {
            #expect(throws: TileArchiveError.outOfOrder(tile, after: first)) {
                try writer.append(tile, SharedBytes("b"))
            }
        }
        let next = try #require(PMTilesTileID(8)).tile
        #expect(throws: TileArchiveError.imageSize(next, bytes: 0, limit: 1 << 26)) {
            try writer.append(next, SharedBytes.empty)
        }
        // The archive still takes tiles.
        try writer.append(next, SharedBytes("c"))
        try writer.finish(Self.description)
    }

    @Test func showsTheTargetOnlyWhenItIsWhole() throws {
        var writer = try PMTilesWriter(target: target, replaces: false)
        try writer.append(try #require(PMTilesTileID(0)).tile, SharedBytes("a"))
        let names = try folder.names
        #expect(names.count == 1 && names[0].hasPrefix("map.pmtiles.") && names[0].hasSuffix(".part"))
        writer.discard()
        #expect(try folder.names.isEmpty)
        #expect(throws: TileArchiveError.closed(path: target)) { try writer.finish(Self.description) }
        #expect(throws: TileArchiveError.closed(path: target)) {
            try writer.append(try #require(PMTilesTileID(1)).tile, SharedBytes("a"))
        }
    }

    @Test func leavesNoDraftOfAWriterThatIsForgotten() throws {
        do {
            var writer = try PMTilesWriter(target: target, replaces: false)
            try writer.append(try #require(PMTilesTileID(0)).tile, SharedBytes("a"))
        }
        #expect(try folder.names.isEmpty)
    }

    @Test func replacesAFileOnlyIfAsked() throws {
        try Data("old".utf8).write(to: URL(filePath: target))
        #expect(throws: TileArchiveError.exists(path: target)) { try PMTilesWriter(target: target, replaces: false) }
        #expect(try Data(contentsOf: URL(filePath: target)) == Data("old".utf8))
        _ = try archive([1])
        #expect(try Data(contentsOf: URL(filePath: target)).starts(with: Data("PMTiles".utf8)))
    }

    @Test func keepsAFileThatAppearsMeanwhile() throws {
        var writer = try PMTilesWriter(target: target, replaces: false)
        try writer.append(try #require(PMTilesTileID(0)).tile, SharedBytes("a"))
        try Data("new".utf8).write(to: URL(filePath: target))
        #expect(throws: TileArchiveError.exists(path: target)) { try writer.finish(Self.description) }
        #expect(try Data(contentsOf: URL(filePath: target)) == Data("new".utf8))
        #expect(try folder.names == ["map.pmtiles"])
    }

    @Test func refusesAnArchiveWithoutTilesOrFormat() throws {
        var empty = try PMTilesWriter(target: target, replaces: false)
        #expect(throws: TileArchiveError.noTiles) { try empty.finish(Self.description) }
        for format in [nil, ImageFormat.gif] {
            var writer = try PMTilesWriter(target: target, replaces: false)
            try writer.append(try #require(PMTilesTileID(0)).tile, SharedBytes("a"))
            var description = Self.description
            description.format = format
            #expect(throws: TileArchiveError.format) { try writer.finish(description) }
        }
        #expect(try folder.names.isEmpty)
    }

    @Test func refusesADirectoryThatDoesNotExist() {
        #expect(throws: TileArchiveError.self) {
            try PMTilesWriter(target: folder.path + "/none/map.pmtiles", replaces: false)
        }
    }

    @Test func widensABoxAcrossTheAntimeridian() throws {
        var (writer, description) = (try PMTilesWriter(target: target, replaces: true), Self.description)
        description.bounds = GeographicBox(west: 170, south: -50, east: -170, north: -30)
        try writer.append(try #require(PMTilesTileID(0)).tile, SharedBytes("a"))
        try writer.finish(description)
        let header = try PMTilesHeader(PMTilesFileBytes(target).read(0..<127))
        #expect(header.bounds == GeographicBox(west: -180, south: -50, east: 180, north: -30))
        #expect(header.center == SourceDescription.Center(longitude: 180, latitude: -40, zoom: 0))
    }
}
