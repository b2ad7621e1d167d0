import CLibPNG

/// The checksum of PNG chunks (PNG 3, Annex D). ZIP archives use the checksum too.
package enum CRC32 {
    /// Returns the checksum of `bytes`.
    package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        clibpng_crc(bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count)
    }
}
