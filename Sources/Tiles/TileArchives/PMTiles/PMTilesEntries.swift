/// The directory entries of an archive that a `PMTilesWriter` writes. A temporary file holds the entries, so memory
/// does not grow with the number of tiles. Each entry takes 24 bytes in the file. The file has no name, so the system
/// frees its space even if the process is killed.
struct PMTilesEntries {
    /// The size of an entry in the file, in bytes.
    private static let stride = 24

    private let file: ArchiveDraft

    /// Creates a file without entries beside `target`.
    init(beside target: String) throws(TileArchiveError) { file = try .temporary(beside: target) }

    /// The number of entries.
    var count: UInt64 { file.end / UInt64(Self.stride) }

    func append(_ entry: PMTilesDirectory.Entry) throws(TileArchiveError) {
        let words = (entry.id, entry.offset, UInt64(entry.length) << 32 | UInt64(entry.run))
        var failure: TileArchiveError?
        withUnsafeBytes(of: words) { bytes in
            do throws(TileArchiveError) { try file.append(bytes) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// Returns up to `count` consecutive entries. `first` is the number of the first returned entry, counted from 0.
    /// Returns fewer than `count` entries if the file ends before.
    func entries(from first: UInt64, count: Int) throws(TileArchiveError) -> [PMTilesDirectory.Entry] {
        let count = Int(min(UInt64(count), self.count - min(first, self.count)))
        var words = [UInt64](repeating: 0, count: count * 3)
        try words.withUnsafeMutableBufferPointer { words throws(TileArchiveError) in
            try file.read(into: UnsafeMutableRawBufferPointer(words), at: first * UInt64(Self.stride))
        }
        return (0..<count).map { index in
            PMTilesDirectory.Entry(
                id: words[3 * index], offset: words[3 * index + 1],
                length: UInt32(truncatingIfNeeded: words[3 * index + 2] >> 32),
                run: UInt32(truncatingIfNeeded: words[3 * index + 2]))
        }
    }
}
