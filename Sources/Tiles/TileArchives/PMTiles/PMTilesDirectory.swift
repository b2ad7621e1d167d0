import Bytes

/// A directory of a PMTiles archive: the place of each tile, or of the next directory for it (PMTiles 3, Directories).
///
/// A directory has at most 8 MiB after inflation and at most 1,048,576 entries, so it uses at most 24 MiB. Larger
/// directories would be slow to fetch for a tile. Programs that write archives split 100 million tiles into leaf
/// directories of less than 100,000 entries.
package struct PMTilesDirectory: Sendable {
    /// Maximum bytes of a directory, compressed and inflated.
    package static let largest = 8 << 20
    /// Maximum entries of a directory.
    package static let mostEntries = 1 << 20
    /// Maximum levels of leaf directories below the root. A lookup reads at most four directories, so leaves that refer
    /// to each other cannot keep it busy.
    package static let deepest = 3

    /// The place that an entry refers to. Offsets count from the start of the section.
    package enum Place: Hashable, Sendable {
        /// The bytes of a tile in the tile data.
        case tile(offset: UInt64, length: UInt32)
        /// The bytes of a directory in the leaf directories.
        case leaf(offset: UInt64, length: UInt32)
    }

    /// An entry: the first tile, the place, and for how many tiles the place counts. A leaf has a run of 0.
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

    /// Reads a directory from its bytes in the archive.
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

    /// Reads a directory like the initialiser of a buffer.
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

    /// Checks an entry and its distance to the next entry.
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

    /// The bytes of memory that the directory uses, with 32 bytes for the frame of each array.
    package var residentBytes: Int { MemoryLayout<Self>.size + 4 * 32 + count * 24 }

    /// Returns the entry at `index`, which must be less than `count`.
    package subscript(index: Int) -> Entry {
        Entry(id: ids[index], offset: offsets[index], length: lengths[index], run: runs[index])
    }

    /// Returns the place of a tile, or of the leaf directory that may hold the tile. Returns nil if the archive has no
    /// such tile.
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
