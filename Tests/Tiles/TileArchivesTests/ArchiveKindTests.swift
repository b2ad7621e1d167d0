import Testing

@testable import TileArchives

@Suite struct ArchiveKindTests {
    @Test func knowsArchivesByTheirFirstBytes() throws {
        #expect(try ArchiveKind(firstBytes: Array("SQLite format 3\0".utf8)) == .mbtiles)
        #expect(try ArchiveKind(firstBytes: Array("PMTiles\u{3}".utf8)) == .pmtiles)
        #expect(throws: ArchiveKind.UnknownError.zip) { try ArchiveKind(firstBytes: Array("PK\u{3}\u{4}".utf8)) }
        #expect(throws: ArchiveKind.UnknownError.empty) { try ArchiveKind(firstBytes: []) }
        #expect(throws: ArchiveKind.UnknownError.other) { try ArchiveKind(firstBytes: Array("SQLite format 2".utf8)) }
    }
}
