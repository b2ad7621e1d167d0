/// The two files that a PMTiles writer writes: the draft of the archive, and a temporary file of directory entries.
struct PMTilesDraft {
    /// The draft of the archive. When the archive is complete, the draft gets the name of the target.
    let data: ArchiveDraft
    /// The entries of its directories.
    let entries: PMTilesEntries

    /// Creates both files beside `target`. The first image begins at byte 16,384 of the draft. When the archive is
    /// complete, the writer fills the bytes before the first image with the header and the root directory. If
    /// `replaces` is false, throws `exists` for a target that exists.
    init(target: String, replaces: Bool) throws(TileArchiveError) {
        data = try ArchiveDraft(target: target, replaces: replaces, start: PMTilesHeader.rootLimit)
        entries = try PMTilesEntries(beside: target)
    }
}
