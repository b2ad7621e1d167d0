import CLibPNG
import Testing

/// The checksum of PNG's chunks, against its definition (PNG 5.5 and annex D).
@Suite struct PNGChecksumTests {
    private func definition(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        var register = UInt32.max
        for byte in bytes {
            register ^= UInt32(byte)
            for _ in 0..<8 { register = register & 1 == 1 ? register >> 1 ^ 0xEDB8_8320 : register >> 1 }
        }
        return ~register
    }

    /// All ways in which the length divides into 64, 16 and single bytes, from any address.
    @Test func agreesWithTheDefinitionAtEachLength() {
        var seed: UInt32 = 1
        let bytes = (0..<1_000).map { _ -> UInt8 in
            seed = seed &* 1_664_525 &+ 1_013_904_223
            return UInt8(seed >> 24)
        }
        for count in Array(0...20) + Array(240...460) + [999] {
            let slice = bytes[(count % 7)...].prefix(count)
            let sum = slice.withUnsafeBufferPointer { clibpng_crc($0.baseAddress, $0.count) }
            #expect(sum == definition(slice), "\(count) bytes")
        }
    }
}
