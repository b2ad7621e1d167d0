/// The files of an archive that is being written.
struct PMTilesDraft {
    /// The draft of the archive, which takes the name of the target when it is whole.
    let data: ArchiveDraft
    /// The entries of its directories.
    let entries: PMTilesEntries

    /// Begins a draft, whose first tile stands after the room for the root directory. If `replaces` is false, refuses a
    /// target that exists.
    init(target: String, replaces: Bool) throws(TileArchiveError) {
        data = try ArchiveDraft(target: target, replaces: replaces, start: PMTilesHeader.rootLimit)
        entries = try PMTilesEntries(beside: target)
    }
}
