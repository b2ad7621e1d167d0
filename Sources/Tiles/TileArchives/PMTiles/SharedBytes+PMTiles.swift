import Bytes

// The pointer of a `SharedBytes` is valid only while the object exists. These initialisers keep the object.

extension PMTilesHeader {
    /// Reads the header from the first bytes of an archive.
    package init(_ bytes: SharedBytes, length: UInt64? = nil) throws(PMTilesError) {
        defer { withExtendedLifetime(bytes) {} }
        try self.init(bytes.buffer, length: length)
    }
}

extension PMTilesDirectory {
    /// Reads a directory from its bytes in the archive, which are `part` of `bytes`. Nil: all of `bytes`.
    package init(
        _ bytes: SharedBytes, part: Range<Int>? = nil, compression: PMTilesHeader.Compression
    ) throws(PMTilesDirectoryError) {
        defer { withExtendedLifetime(bytes) {} }
        let range = (part ?? 0..<bytes.count).clamped(to: 0..<bytes.count)
        try self.init(UnsafeRawBufferPointer(rebasing: bytes.buffer[range]), compression: compression)
    }
}

extension PMTilesMetadata {
    /// Reads the metadata from its bytes in the archive.
    package init(_ bytes: SharedBytes, compression: PMTilesHeader.Compression) throws(PMTilesError) {
        defer { withExtendedLifetime(bytes) {} }
        try self.init(bytes.buffer, compression: compression)
    }
}
