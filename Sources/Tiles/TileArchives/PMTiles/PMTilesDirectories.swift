/// The directories of a new archive: the root, and as many leaf directories as it needs.
struct PMTilesDirectories {
    /// The root directory in gzip, which fits behind the header.
    let root: [UInt8]
    /// The bytes of the leaf directories in the file. Empty if the root has all entries.
    let leaves: Range<UInt64>

    /// Maximum bytes of the root directory.
    static let rootLimit = Int(PMTilesHeader.rootLimit) - PMTilesHeader.size
    /// The root holds all entries only of an archive with at most this number. More entries need about 2 bytes each.
    private static let mostInRoot: UInt64 = 16_384
    /// Number of leaves for which the root fits nearly always, with 8 bytes for a leaf before compression.
    private static let usualLeaves: UInt64 = 2_048
    private static let smallestLeaf: UInt64 = 4_096
    /// Entries of a leaf directory. An entry has at most 29 bytes, so that the leaf is less than
    /// `PMTilesDirectory.largest`. 2,048 such leaves have 536 million entries.
    private static let largestLeaf: UInt64 = 1 << 18

    /// Writes the leaf directories at the end of the draft's data. Tries larger leaves until the root fits, and writes
    /// all leaves again for each attempt. Usually the first attempt fits. Throws `tooManyEntries`.
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

    /// Writes leaf directories of `size` entries, and returns their entries in the root.
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
