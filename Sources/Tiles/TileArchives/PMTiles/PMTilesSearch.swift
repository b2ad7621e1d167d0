/// Finds one tile in the directories of an archive. The search does not read the archive. The caller reads each
/// directory from a file, from memory or from another server, and passes the directory to `next`. The caller therefore
/// decides how to wait for a read.
///
/// The first directory is the root directory. A search uses at most four directories, so the search ends even if leaf
/// directories refer to each other.
package struct PMTilesSearch: Sendable {
    /// The result of the search in one directory. The ranges are positions in bytes from the start of the file.
    package enum Step: Hashable, Sendable {
        /// The image of the tile is in this range of bytes of the file.
        case tile(Range<UInt64>)
        /// The leaf directory at this position may list the tile. The caller reads this directory, and passes it to
        /// `next`.
        case leaf(Range<UInt64>)
        /// The archive has no such tile.
        case missing
    }

    private let id: PMTilesTileID
    private var depth = 0

    package init(_ id: PMTilesTileID) { self.id = id }

    /// Searches `directory` for the tile. The first call takes the root directory, and each later call takes the leaf
    /// directory from the last result. `header` has the positions of the sections. Throws `outside` if an entry refers
    /// to bytes outside of its section. Throws `tooDeep` if the tile is below more than three levels of leaf
    /// directories.
    package mutating func next(
        in directory: PMTilesDirectory, _ header: PMTilesHeader
    ) throws(PMTilesError) -> Step {
        switch directory.place(of: id) {
        case .tile(let offset, let length)?: return .tile(try header.tile(offset: offset, length: length))
        case .leaf(let offset, let length)?:
            guard depth < PMTilesDirectory.deepest else { throw .tooDeep(limit: PMTilesDirectory.deepest) }
            depth += 1
            return .leaf(try header.leaf(offset: offset, length: length))
        case nil: return .missing
        }
    }
}
