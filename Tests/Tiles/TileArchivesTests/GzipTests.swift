import Testing

@testable import TileArchives

@Suite struct GzipTests {
    private func inflated(_ bytes: [UInt8], limit: Int) throws(Gzip.InflateError) -> [UInt8] {
        try bytes.withUnsafeBufferPointer { bytes throws(Gzip.InflateError) in
            try Gzip.inflated(UnsafeRawBufferPointer(bytes), limit: limit)
        }
    }

    @Test(arguments: [0, 1, 16_383, 16_384, 16_385, 100_000])
    func restoresBytesUpToTheLimit(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
        let compressed = try #require(Gzip.compressed(bytes))
        #expect(try inflated(compressed, limit: count) == bytes)
        guard count > 0 else { return }
        #expect(throws: Gzip.InflateError.tooLarge(limit: count - 1)) { try inflated(compressed, limit: count - 1) }
    }

    @Test func endsABombAtTheLimit() throws {
        let bomb = try #require(Gzip.compressed([UInt8](repeating: 0, count: 64 << 20)))
        #expect(bomb.count < 100_000)
        #expect(throws: Gzip.InflateError.tooLarge(limit: 1_000)) { try inflated(bomb, limit: 1_000) }
    }

    @Test func joinsMembers() throws {
        let (first, second) = (try #require(Gzip.compressed([1, 2])), try #require(Gzip.compressed([3])))
        #expect(try inflated(first + second, limit: 3) == [1, 2, 3])
    }

    @Test func refusesEachCutAndEachFlippedChecksum() throws {
        let bytes = try #require(Gzip.compressed(Array("some bytes of a directory".utf8)))
        for count in bytes.indices {
            #expect(throws: Gzip.InflateError.damaged) { try inflated(Array(bytes[..<count]), limit: 100) }
        }
        for index in bytes.indices.suffix(8) {
            var damaged = bytes
            damaged[index] ^= 1
            #expect(throws: Gzip.InflateError.damaged) { try inflated(damaged, limit: 100) }
        }
        #expect(throws: Gzip.InflateError.damaged) { try inflated(bytes + [0], limit: 100) }
    }
}
