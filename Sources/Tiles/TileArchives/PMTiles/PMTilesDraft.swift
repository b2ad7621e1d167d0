/// The two files that a `PMTilesWriter` fills: the draft of the archive, and a temporary file with the directory
/// entries.
struct PMTilesDraft {
    /// The draft of the archive. The writer renames the draft to the target when the archive is complete.
    let data: ArchiveDraft
    /// The entries of its directories.
    let entries: PMTilesEntries

    /// Creates both files in the directory of `target`, the path of the finished archive. The first image begins at
    /// byte 16,384 of the draft. When the archive is complete, the writer fills the bytes before the first image with
    /// the header and the root directory. If `replaces` is false, throws `exists` if a file exists at `target`.
    init(target: String, replaces: Bool) throws(TileArchiveError) {
        data = try ArchiveDraft(target: target, replaces: replaces, start: PMTilesHeader.rootLimit)
        entries = try PMTilesEntries(beside: target)
    }
}
