import Bytes
import CXXHash

/// A 128-bit XXH3 hash of some bytes, for example of a tile's image. The server sends the hash as the entity tag of the
/// tile. The hash is not secure: an attacker can make two inputs with the same hash.
package struct ContentHash: Hashable, Sendable {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package init(of bytes: SharedBytes) {
        self.init(of: bytes.buffer)
    }

    package init(of bytes: UnsafeRawBufferPointer) {
        let hash = content_hash_of(bytes.baseAddress, bytes.count)
        high = hash.high
        low = hash.low
    }

    /// The hash as 32 hexadecimal digits.
    package var hexadecimal: String { String(entityTag.dropFirst().dropLast()) }

    /// The entity tag: 32 hexadecimal digits in quotation marks.
    package var entityTag: String {
        String(unsafeUninitializedCapacity: Self.tagCount) { text in
            write(entityTag: UnsafeMutableRawBufferPointer(text))
            return Self.tagCount
        }
    }

    /// Number of bytes of an entity tag.
    package static let tagCount = 34

    /// Writes the entity tag to `text`, which has `tagCount` bytes.
    package func write(entityTag text: UnsafeMutableRawBufferPointer) {
        text[0] = UInt8(ascii: "\"")
        for (word, start) in [(high, 1), (low, 17)] {
            for index in 0..<16 {
                let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * index)) & 0xF
                text[start + index] = digit < 10 ? ASCII.zero + digit : UInt8(ascii: "a") + digit - 10
            }
        }
        text[33] = UInt8(ascii: "\"")
    }
}
