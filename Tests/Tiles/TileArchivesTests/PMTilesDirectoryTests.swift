import Bytes
import MapGeometry
import Testing

@testable import TileArchives

/// Tests for directories (PMTiles 3, Directories).
@Suite struct PMTilesDirectoryTests {
    private func directory(
        _ sample: PMTilesDirectorySample, _ compression: PMTilesHeader.Compression = .none
    ) throws(PMTilesDirectoryError) -> PMTilesDirectory {
        try PMTilesDirectory(SharedBytes(sample.bytes), compression: compression)
    }

    @Test func readsEntries() throws {
        let found = try directory(PMTilesDirectorySample())
        #expect((0..<found.count).map { found[$0].id } == [5, 8, 18])
        #expect((0..<found.count).map { found[$0].offset } == [0, 100, 50])
        #expect((0..<found.count).map { found[$0].length } == [100, 200, 300])
        #expect((0..<found.count).map { found[$0].run } == [1, 4, 0])
    }

    @Test func readsGzip() throws {
        let bytes = try #require(Gzip.compressed(PMTilesDirectorySample().bytes))
        #expect(try PMTilesDirectory(SharedBytes(bytes), compression: .gzip).count == 3)
    }

    @Test func findsTilesOfRunsAndLeaves() throws {
        let found = try directory(PMTilesDirectorySample())
        let (first, run) = (
            PMTilesDirectory.Place.tile(offset: 0, length: 100), PMTilesDirectory.Place.tile(offset: 100, length: 200)
        )
        let leaf = PMTilesDirectory.Place.leaf(offset: 50, length: 300)
        let expected: [(UInt64, PMTilesDirectory.Place?)] = [
            (0, nil), (4, nil), (5, first), (6, nil), (7, nil), (8, run), (11, run), (12, nil), (17, nil), (18, leaf),
            (1_000_000, leaf), (PMTilesTileID.count - 1, leaf),
        ]
        for (id, place) in expected { #expect(found.place(of: try #require(PMTilesTileID(id))) == place, "\(id)") }
    }

    @Test func findsEachOfManyEntries() throws {
        let count = 10_001
        let sample = PMTilesDirectorySample(
            steps: .init(repeating: 2, count: count), runs: .init(repeating: 1, count: count),
            lengths: .init(repeating: 3, count: count), offsets: [1] + .init(repeating: 0, count: count - 1))
        let found = try directory(sample)
        for index in 0..<UInt64(count) {
            let id = try #require(PMTilesTileID(2 * index + 2))
            #expect(found.place(of: id) == .tile(offset: 3 * index, length: 3))
            #expect(found.place(of: try #require(PMTilesTileID(id.value + 1))) == nil)
        }
        #expect((24 * count...24 * count + 500).contains(found.residentBytes))
    }

    static let faults: [(PMTilesDirectoryError, PMTilesDirectorySample)] = [
        (.empty, PMTilesDirectorySample(count: 0)),
        (.tooManyEntries(1 << 62, limit: 3), PMTilesDirectorySample(count: 1 << 62)),
        (.tooManyEntries(.max, limit: 3), PMTilesDirectorySample(count: .max)),
        (.notAscending(entry: 1), PMTilesDirectorySample(steps: [5, 0, 1])),
        (.beyondZoom(entry: 0), PMTilesDirectorySample(steps: [PMTilesTileID.count, 1, 1])),
        (.beyondZoom(entry: 1), PMTilesDirectorySample(steps: [5, .max, 1])),
        (.beyondZoom(entry: 2), PMTilesDirectorySample(steps: [1, 1, PMTilesTileID.count - 3], runs: [1, 1, 2])),
        (.overlappingRuns(entry: 1), PMTilesDirectorySample(runs: [4, 4, 0])),
        (.overlappingRuns(entry: 2), PMTilesDirectorySample(runs: [1, 11, 1])),
        (.numberTooLarge(entry: 1), PMTilesDirectorySample(runs: [1, 1 << 32, 1])),
        (.numberTooLarge(entry: 2), PMTilesDirectorySample(lengths: [1, 2, 1 << 32])),
        (.emptyEntry(1), PMTilesDirectorySample(lengths: [1, 0, 1])),
        (.firstOffset, PMTilesDirectorySample(offsets: [0, 0, 0])),
        (.offsetOverflow(entry: 0), PMTilesDirectorySample(offsets: [.max, 1, 1])),
        (.offsetOverflow(entry: 2), PMTilesDirectorySample(offsets: [1, .max - 250, 0])),
        (.leafTooLarge(entry: 2, limit: 8 << 20), PMTilesDirectorySample(lengths: [1, 1, 8 << 20 + 1])),
        (.trailingBytes(2), PMTilesDirectorySample(offsets: [1, 0, 51, 0, 0])),
    ]

    @Test(arguments: faults)
    func namesTheFault(fault: PMTilesDirectoryError, sample: PMTilesDirectorySample) {
        #expect(throws: fault) { try directory(sample) }
    }

    @Test func acceptsRunsThatTouch() throws {
        #expect(try directory(PMTilesDirectorySample(runs: [3, 10, 1])).count == 3)
        let last = PMTilesDirectorySample(steps: [1, 1, PMTilesTileID.count - 4], runs: [1, 1, 2])
        #expect(try directory(last).count == 3)
    }

    @Test func refusesEachCut() throws {
        let bytes = PMTilesDirectorySample(steps: [5, 300, 70_000]).bytes
        for count in bytes.indices {
            #expect(throws: PMTilesDirectoryError.self) {
                try PMTilesDirectory(SharedBytes(bytes[..<count]), compression: .none)
            }
        }
    }

    @Test func refusesNumbersOfMoreThan64Bits() throws {
        let endless = [UInt8](repeating: 0xFF, count: 1_000)
        #expect(throws: PMTilesDirectoryError.varintTooLong) {
            try PMTilesDirectory(SharedBytes(endless), compression: .none)
        }
        let tenth = [UInt8](repeating: 0x80, count: 9) + [2]
        #expect(throws: PMTilesDirectoryError.varintTooLong) {
            try PMTilesDirectory(SharedBytes(tenth), compression: .none)
        }
        #expect(throws: PMTilesDirectoryError.cutOff) { try PMTilesDirectory(SharedBytes([0x80]), compression: .none) }
    }

    @Test func refusesABomb() throws {
        let bomb = try #require(Gzip.compressed([UInt8](repeating: 0, count: PMTilesDirectory.largest + 1)))
        #expect(throws: PMTilesDirectoryError.compression(.tooLarge(limit: PMTilesDirectory.largest))) {
            try PMTilesDirectory(SharedBytes(bomb), compression: .gzip)
        }
        let large = SharedBytes(capacity: PMTilesDirectory.largest + 1) { $0.count }
        #expect(throws: PMTilesDirectoryError.tooLarge(limit: PMTilesDirectory.largest)) {
            try PMTilesDirectory(large, compression: .none)
        }
    }

    @Test func refusesMoreThanAMillionEntries() {
        let bytes = pmtilesVarints([1 << 20 + 1]) + [UInt8](repeating: 1, count: 5 << 20)
        #expect(throws: PMTilesDirectoryError.tooManyEntries(1 << 20 + 1, limit: 1 << 20)) {
            try PMTilesDirectory(SharedBytes(bytes), compression: .none)
        }
    }

    @Test func endsASearchInACycle() throws {
        // The leaf directory refers to itself.
        let leaf = pmtilesVarints([1, 0, 0, 5, 1])
        let archive = PMTilesMemory(bytes: PMTilesArchiveSample(root: leaf, leaves: leaf).bytes)
        #expect(throws: PMTilesError.tooDeep(limit: 3)) { try archive.tile(#require(TileCoordinate(z: 0, x: 0, y: 0))) }
    }

    @Test func readsThreeLevelsOfLeaves() throws {
        // Each leaf directory refers to the next one. The last one has the tile.
        let leaves =
            pmtilesVarints([1, 0, 0, 5, 6]) + pmtilesVarints([1, 0, 0, 5, 11]) + pmtilesVarints([1, 0, 1, 4, 1])
        let archive = PMTilesMemory(
            bytes: PMTilesArchiveSample(root: pmtilesVarints([1, 0, 0, 5, 1]), leaves: leaves).bytes)
        #expect(try archive.tile(#require(TileCoordinate(z: 0, x: 0, y: 0))) == Array("tile".utf8))
        #expect(try archive.tile(#require(TileCoordinate(z: 1, x: 0, y: 0))) == nil)
    }
}
