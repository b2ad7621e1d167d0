import Bytes

extension PMTilesDirectory {
    /// Reads a directory from `bytes`, a part of an archive. `part` is the range of the directory in `bytes`.
    /// `compression` is the compression of all directories of the archive.
    package init(
        _ bytes: SharedBytes, part: Range<Int>, compression: PMTilesHeader.Compression
    ) throws(PMTilesDirectoryError) {
        // The pointer is valid only while the object exists.
        defer { withExtendedLifetime(bytes) {} }
        let range = part.clamped(to: 0..<bytes.count)
        try self.init(UnsafeRawBufferPointer(rebasing: bytes.buffer[range]), compression: compression)
    }
}
