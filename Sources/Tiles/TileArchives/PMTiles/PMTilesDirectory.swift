import Bytes

/// A directory of a PMTiles archive (PMTiles 3, Directories). Each entry has the place of an image in the archive, or
/// the place of a leaf directory with further entries.
///
/// A directory has at most 8 MiB after inflation and at most 1,048,576 entries, so a directory takes at most 24 MiB of
/// memory. Larger directories would be slow to fetch for a single tile. Programs that write archives stay below these
/// limits: an archive of 100 million tiles has leaf directories of fewer than 100,000 entries.
package struct PMTilesDirectory: Sendable {
    /// Maximum bytes of a directory, both compressed and inflated: 8 MiB.
    package static let largest = 8 << 20
    /// Maximum entries of a directory.
    package static let mostEntries = 1 << 20
    /// Maximum number of levels of leaf directories below the root directory. A lookup reads at most four directories,
    /// and therefore ends even if leaf directories refer to each other.
    package static let deepest = 3

    /// The place of an image or a leaf directory. Offsets are in bytes from the start of a section of the archive.
    package enum Place: Hashable, Sendable {
        /// The image of a tile: `length` bytes at `offset` in the section of tile data.
        case tile(offset: UInt64, length: UInt32)
        /// A leaf directory: `length` bytes at `offset` in the section of leaf directories.
        case leaf(offset: UInt64, length: UInt32)
    }

    /// An entry of a directory. `id` is the first tile ID of the entry. `offset` and `length`, in bytes, are the place
    /// of an image or a leaf directory in its section. `run` is the number of consecutive tiles with this image, or 0
    /// if the entry refers to a leaf directory.
    package struct Entry: Hashable, Sendable {
        package var id: UInt64
        package var offset: UInt64
        package var length: UInt32
        package var run: UInt32

        package var isLeaf: Bool { run == 0 }
    }

    // Four arrays use 24 bytes for each entry, like an array of entries. A lookup reads only IDs.
    private let ids: [UInt64]
    private let offsets: [UInt64]
    private let lengths: [UInt32]
    private let runs: [UInt32]

    /// Reads a directory from `bytes`, the directory as stored in the archive. `compression` is the compression of
    /// `bytes`. Throws an error if the directory is damaged, or larger than the limits of this type.
    package init(
        _ bytes: UnsafeRawBufferPointer, compression: PMTilesHeader.Compression
    ) throws(PMTilesDirectoryError) {
        guard bytes.count <= Self.largest else { throw .tooLarge(limit: Self.largest) }
        switch compression {
        case .none: try self.init(plain: bytes)
        case .gzip:
            let plain: [UInt8]
            do throws(Gzip.InflateError) {
                plain = try Gzip.inflated(bytes, limit: Self.largest)
            } catch {
                throw .compression(error)
            }
            self = try plain.withUnsafeBufferPointer { plain throws(PMTilesDirectoryError) in
                try PMTilesDirectory(plain: UnsafeRawBufferPointer(plain))
            }
        }
    }

    /// Reads a directory from `bytes`, the directory as stored in the archive. Keeps the object `bytes` in memory until
    /// the directory is read. `compression` is the compression of `bytes`.
    package init(
        _ bytes: SharedBytes, compression: PMTilesHeader.Compression
    ) throws(PMTilesDirectoryError) {
        // The buffer is valid only as long as its owner.
        defer { withExtendedLifetime(bytes) {} }
        try self.init(bytes.buffer, compression: compression)
    }

    /// Reads a directory without compression.
    init(plain bytes: UnsafeRawBufferPointer) throws(PMTilesDirectoryError) {
        var reader = PMTilesColumns(bytes)
        let count = try reader.count()
        ids = try reader.ids(count)
        runs = try reader.numbers(count)
        lengths = try reader.numbers(count)
        offsets = try reader.offsets(lengths)
        try reader.end()
        for index in ids.indices { try check(index) }
    }

    /// Throws an error if the entry at `index` is invalid: an image or leaf directory without bytes, or a leaf
    /// directory of more than `largest` bytes. Also throws if the entry's run of tiles reaches the next entry or ends
    /// beyond the last tile ID.
    private func check(_ index: Int) throws(PMTilesDirectoryError) {
        guard lengths[index] > 0 else { throw .emptyEntry(index) }
        let limit = index + 1 < ids.count ? ids[index + 1] : PMTilesTileID.count
        // IDs ascend and are less than PMTilesTileID.count, so the difference is positive.
        guard UInt64(runs[index]) <= limit - ids[index] else {
            throw index + 1 < ids.count ? .overlappingRuns(entry: index + 1) : .beyondZoom(entry: index)
        }
        guard runs[index] > 0 || lengths[index] <= Self.largest else {
            throw .leafTooLarge(entry: index, limit: Self.largest)
        }
    }

    /// The number of entries, at least 1.
    package var count: Int { ids.count }

    /// The memory that the directory uses, in bytes: 24 bytes for each entry, 32 bytes of overhead for each of four
    /// arrays, and the size of the struct.
    package var residentBytes: Int { MemoryLayout<Self>.size + 4 * 32 + count * 24 }

    /// Returns the entry at `index`, which must be less than `count`.
    package subscript(index: Int) -> Entry {
        Entry(id: ids[index], offset: offsets[index], length: lengths[index], run: runs[index])
    }

    /// Returns the place of the image of the tile `id`, or of the leaf directory that may list the tile. Returns nil if
    /// the archive has no such tile.
    package func place(of id: PMTilesTileID) -> Place? {
        // Finds the last entry that begins at the tile or before.
        var (low, high) = (0, ids.count)
        while low < high {
            let middle = (low + high) / 2
            if ids[middle] <= id.value { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let entry = self[low - 1]
        if entry.isLeaf { return .leaf(offset: entry.offset, length: entry.length) }
        return id.value - entry.id < entry.run ? .tile(offset: entry.offset, length: entry.length) : nil
    }
}
