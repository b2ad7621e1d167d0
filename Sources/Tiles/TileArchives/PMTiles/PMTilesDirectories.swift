/// The directories of a new archive. An archive has leaf directories only if the root directory cannot hold all
/// entries.
struct PMTilesDirectories {
    /// The bytes of the root directory, compressed with gzip. These bytes fit between the header and byte 16,384 of the
    /// archive.
    let root: [UInt8]
    /// The range of bytes of all leaf directories in the file. Empty if the root directory holds all entries.
    let leaves: Range<UInt64>

    /// Maximum bytes of the root directory.
    static let rootLimit = Int(PMTilesHeader.rootLimit) - PMTilesHeader.size
    /// Maximum number of entries of an archive without leaf directories. An entry takes about 2 bytes in the compressed
    /// root directory, so more entries do not fit before byte 16,384.
    private static let mostInRoot: UInt64 = 16_384
    /// Maximum number of leaf directories at the first attempt of `init`. A leaf directory takes about 8 bytes in the
    /// root directory before compression, so the root directory nearly always fits.
    private static let usualLeaves: UInt64 = 2_048
    private static let smallestLeaf: UInt64 = 4_096
    /// Maximum number of entries of a leaf directory. An entry has at most 29 bytes, so a leaf directory is smaller
    /// than `PMTilesDirectory.largest` (8 MiB). 2,048 leaf directories of this size hold 536 million entries.
    private static let largestLeaf: UInt64 = 1 << 18

    /// Makes the directories from `draft.entries`, and writes leaf directories at the end of `draft.data`. Tries larger
    /// leaf directories until the root directory fits, and writes all leaf directories again at each attempt. Usually
    /// the first attempt succeeds. Throws `tooManyEntries` if the root directory does not fit with any allowed size.
    init(_ draft: PMTilesDraft) throws(TileArchiveError) {
        let count = draft.entries.count
        if count <= Self.mostInRoot {
            let root = try PMTilesEncoder.directory(draft.entries.entries(from: 0, count: Int(Self.mostInRoot)))
            if root.count <= Self.rootLimit {
                (self.root, leaves) = (root, 0..<0)
                return
            }
        }
        let start = draft.data.end
        var size = max(Self.smallestLeaf, count / Self.usualLeaves + 1)
        while size <= Self.largestLeaf {
            let root = try PMTilesEncoder.directory(Self.write(draft, from: start, size: size))
            if root.count <= Self.rootLimit {
                (self.root, leaves) = (root, start..<draft.data.end)
                return
            }
            try draft.data.truncate(to: start)
            size = size < Self.largestLeaf ? min(size * 2, Self.largestLeaf) : size * 2
        }
        throw .tooManyEntries(count)
    }

    /// Writes the entries of `draft` in leaf directories of at most `size` entries each, at the end of `draft.data`.
    /// `start` is the position of the first leaf directory in the file. Returns the entries of the root directory: one
    /// entry for each leaf directory.
    private static func write(
        _ draft: PMTilesDraft, from start: UInt64, size: UInt64
    ) throws(TileArchiveError) -> [PMTilesDirectory.Entry] {
        var root: [PMTilesDirectory.Entry] = []
        var next: UInt64 = 0
        while next < draft.entries.count {
            let entries = try draft.entries.entries(from: next, count: Int(size))
            guard let first = entries.first else { break }
            let leaf = try PMTilesEncoder.directory(entries)
            let offset = try draft.data.append(leaf) - start
            let length = UInt32(clamping: leaf.count)
            root.append(PMTilesDirectory.Entry(id: first.id, offset: offset, length: length, run: 0))
            next += size
        }
        return root
    }
}
