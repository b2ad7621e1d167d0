import Bytes
import MapGeometry
import Raster
import Testing
import Tiles

@testable import TileArchives

/// Tests for the first 127 bytes of an archive (PMTiles 3, Header).
@Suite struct PMTilesHeaderTests {
    @Test func readsAllFields() throws {
        var sample = PMTilesArchiveSample()
        (sample.counts, sample.kinds) = ([9, 8, 7], [1, 2, 2, 4, 3, 12])
        sample.bounds = [60_000_000, 450_000_000, 105_000_000, 478_000_000]
        sample.center = (5, 85_000_000, 473_000_000)
        let header = try sample.header()
        #expect(header.root == 127..<132 && header.metadata == 132..<149)
        #expect(header.leaves.isEmpty && header.tiles == 149..<153)
        #expect([header.addressedTiles, header.tileEntries, header.tileContents] == [9, 8, 7])
        #expect(header.isClustered && header.internalCompression == .gzip && header.tileCompression == .gzip)
        #expect(header.format == .webp && header.zooms == 3...12)
        #expect(header.bounds == GeographicBox(west: 6, south: 45, east: 10.5, north: 47.8))
        #expect(header.center == SourceDescription.Center(longitude: 8.5, latitude: 47.3, zoom: 5))
    }

    static let faults: [(PMTilesError, @Sendable (inout PMTilesArchiveSample) -> Void)] = [
        (.version(4), { $0.version = 4 }),
        (
            .rootTooFar(end: 16_385),
            { sample in
                sample.tiles = [UInt8](repeating: 0, count: 20_000)
                sample.moved[0] = (127, 16_258)
            }
        ),
        (.overlapsHeader(.rootDirectory), { $0.moved[0] = (126, 5) }),
        (.overlapsHeader(.metadata), { $0.moved[1] = (0, 5) }),
        (.overflow(.metadata), { $0.moved[1] = (.max, 1) }),
        (.overflow(.leafDirectories), { $0.moved[2] = (1 << 63, 1 << 63) }),
        (.beyondFile(.tileData, end: 154, length: 153), { $0.moved[3] = (149, 5) }),
        (.internalCompression(0), { $0.kinds[1] = 0 }), (.internalCompression(3), { $0.kinds[1] = 3 }),
        (.internalCompression(4), { $0.kinds[1] = 4 }), (.tileCompression(3), { $0.kinds[2] = 3 }),
        (.tileCompression(4), { $0.kinds[2] = 4 }), (.tileCompression(9), { $0.kinds[2] = 9 }),
        (.tileType(0), { $0.kinds[3] = 0 }), (.vectorTiles(kind: "MVT"), { $0.kinds[3] = 1 }),
        (.tileType(5), { $0.kinds[3] = 5 }), (.vectorTiles(kind: "MLT"), { $0.kinds[3] = 6 }),
        (.tileType(7), { $0.kinds[3] = 7 }), (.zooms(5, 4), { $0.kinds[4...5] = [5, 4] }),
        (.zooms(0, 31), { $0.kinds[5] = 31 }),
        (.bounds(west: -180.0000001, south: -85, east: 180, north: 85), { $0.bounds[0] = -1_800_000_001 }),
        (.bounds(west: -180, south: 86, east: 180, north: 85), { $0.bounds[1] = 860_000_000 }),
        (.bounds(west: -180, south: -85, east: 180, north: -214.7483648), { $0.bounds[3] = .min }),
    ]

    @Test(arguments: faults)
    func namesTheFault(fault: PMTilesError, change: @Sendable (inout PMTilesArchiveSample) -> Void) {
        var sample = PMTilesArchiveSample()
        change(&sample)
        #expect(throws: fault) { try sample.header() }
    }

    @Test(arguments: [
        (
            PMTilesArchiveSample(version: 1),
            "expected PMTiles version 3, found version 1; convert it with `pmtiles convert`"
        ),
        (
            PMTilesArchiveSample(kinds: [1, 3, 1, 2, 0, 0]),
            "brotli, which is not supported. Write the archive again with"
        ),
        (PMTilesArchiveSample(kinds: [1, 4, 1, 2, 0, 0]), "zstd, which is not supported. Write the archive again"),
        (PMTilesArchiveSample(kinds: [1, 1, 1, 1, 0, 0]), "vector tiles (MVT), but only PNG, JPEG and WebP"),
        (PMTilesArchiveSample(kinds: [1, 1, 1, 5, 0, 0]), "AVIF tiles, but only PNG, JPEG and WebP"),
    ])
    func saysTheRemedy(sample: PMTilesArchiveSample, words: String) {
        do throws(PMTilesError) {
            _ = try sample.header()
            Issue.record("no error")
        } catch {
            #expect(error.description.contains(words), "\(error)")
        }
    }

    @Test func tellsVersion2FromOtherFiles() {
        #expect(throws: PMTilesError.version(2)) { try PMTilesHeader(SharedBytes([0x50, 0x4D, 2, 0] + "….".utf8)) }
        #expect(throws: PMTilesError.notPMTiles) { try PMTilesHeader(SharedBytes("SQLite format 3")) }
    }

    @Test func refusesEachShortHeader() {
        let bytes = PMTilesArchiveSample().bytes
        for count in 0..<127 {
            #expect(throws: PMTilesError.shortHeader(bytes: count)) { try PMTilesHeader(SharedBytes(bytes[..<count])) }
        }
    }

    @Test func acceptsAnyEndIfLengthIsUnknown() throws {
        var sample = PMTilesArchiveSample()
        sample.moved[3] = (149, 1 << 40)
        #expect(try PMTilesHeader(SharedBytes(sample.bytes)).tiles.count == 1 << 40)
    }

    @Test func ignoresPlacesThatDoNotExist() throws {
        let empty = try PMTilesArchiveSample(bounds: [0, 0, 0, 0], center: (31, 0, 0)).header()
        #expect(empty.bounds == nil && empty.center == nil)
    }

    @Test func keepsPartsInsideTheirSections() throws {
        let header = try PMTilesArchiveSample().header()
        #expect(try header.tile(offset: 1, length: 3) == 150..<153)
        let faults: [(UInt64, UInt32)] = [(1, 4), (5, 0), (.max, 1), (.max, .max)]
        for (offset, length) in faults {
            let fault = PMTilesError.outside(.tileData, offset: offset, length: length)
            #expect(throws: fault) { try header.tile(offset: offset, length: length) }
        }
        #expect(throws: PMTilesError.self) { try header.leaf(offset: 0, length: 1) }
    }

    @Test func inflatesCompressedTilesWithinTheLimit() throws {
        let header = try PMTilesArchiveSample(kinds: [1, 1, 2, 2, 0, 0]).header()
        let image = [UInt8](repeating: 7, count: 5_000)
        let compressed = SharedBytes(try #require(Gzip.compressed(image)))
        #expect(try header.image(compressed, limit: 5_000).array == image)
        #expect(throws: PMTilesError.tile(.tooLarge(limit: 4_999))) { try header.image(compressed, limit: 4_999) }
        #expect(try header.image(SharedBytes("plain"), limit: 1).text == "plain")
    }
}
