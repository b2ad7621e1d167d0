import CLibPNG
import Testing

/// Compares the checksums of PNG with their definitions: the CRC of chunks (PNG 5.5 and annex D) and the Adler-32 of
/// rows (RFC 1950 8.2).
@Suite struct PNGChecksumTests {
    private func crcDefinition(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        var register = UInt32.max
        for byte in bytes {
            register ^= UInt32(byte)
            for _ in 0..<8 { register = register & 1 == 1 ? register >> 1 ^ 0xEDB8_8320 : register >> 1 }
        }
        return ~register
    }

    /// Tests all ways in which a length divides into 64, 16 and single bytes, at different addresses.
    @Test func computesTheCRCAtEachLength() {
        var seed: UInt32 = 1
        let bytes = (0..<1_000).map { _ -> UInt8 in
            seed = seed &* 1_664_525 &+ 1_013_904_223
            return UInt8(seed >> 24)
        }
        for count in Array(0...20) + Array(240...460) + [999] {
            let slice = bytes[(count % 7)...].prefix(count)
            let sum = slice.withUnsafeBufferPointer { clibpng_crc($0.baseAddress, $0.count) }
            #expect(sum == crcDefinition(slice), "\(count) bytes")
        }
    }

    private func adlerDefinition(_ adler: UInt32, _ bytes: ArraySlice<UInt8>) -> UInt32 {
        var (first, second) = (adler & 0xFFFF, adler >> 16)
        for byte in bytes {
            first = (first + UInt32(byte)) % 65_521
            second = (second + first) % 65_521
        }
        return second << 16 | first
    }

    /// Also tests the largest bytes after the largest sums. The lengths span several runs in which the sums are not
    /// reduced.
    @Test(arguments: [0, 1, 255] as [UInt8])
    func computesTheAdlerSumOfRows(step: UInt8) {
        let bytes = (0..<20_000).map { step == 255 ? 255 : UInt8(truncatingIfNeeded: $0) &* step }
        for count in Array(0...100) + [5_535, 5_536, 5_537, 5_552, 11_072, 19_990] {
            let slice = bytes[(count % 7)...].prefix(count)
            for before: UInt32 in [1, 65_520 << 16 | 65_520] {
                let sum = slice.withUnsafeBufferPointer { clibpng_adler(before, $0.baseAddress, $0.count) }
                #expect(sum == adlerDefinition(before, slice), "\(count) bytes")
            }
        }
    }
}
