import Testing

@testable import TileArchives

@Suite struct GzipTests {
    @Test func inflatesWhatItCompresses() throws {
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let packed = try #require(Gzip.compressed(bytes))
        #expect(packed.count < bytes.count)
        #expect(try packed.withUnsafeBytes { try Gzip.inflated($0, limit: 100_000) } == bytes)
        #expect(throws: Gzip.InflateError.tooLarge(limit: 99_999)) {
            try packed.withUnsafeBytes { try Gzip.inflated($0, limit: 99_999) }
        }
    }

    @Test func rejectsDamagedBytes() throws {
        let packed = try #require(Gzip.compressed(Array("tiles tiles tiles".utf8)))
        for count in 0..<packed.count {
            #expect(throws: Gzip.InflateError.damaged) {
                try packed.prefix(count).withUnsafeBytes { try Gzip.inflated($0, limit: 1_000) }
            }
        }
    }
}
