/// The search for one tile in the directories of an archive. The search itself reads nothing: the caller reads each
/// directory from a file, from memory or from another server, and so decides where the search waits.
///
/// The first directory is the root. A search takes at most four directories, so it ends in any archive.
package struct PMTilesSearch: Sendable {
    /// The result of a directory, as bytes of the file.
    package enum Step: Hashable, Sendable {
        /// The tile has these bytes.
        case tile(Range<UInt64>)
        /// The next directory has these bytes. `next` takes it.
        case leaf(Range<UInt64>)
        /// The archive has no such tile.
        case missing
    }

    private let id: PMTilesTileID
    private var depth = 0

    package init(_ id: PMTilesTileID) { self.id = id }

    /// Searches the next directory. Throws `outside` for an entry outside of its section, and `tooDeep` if there are
    /// more than three levels of leaf directories.
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
