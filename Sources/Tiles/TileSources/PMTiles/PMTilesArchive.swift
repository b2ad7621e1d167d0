import Bytes
import HTTPClient
import MapGeometry
import TileArchives
import Tiles

/// One version of a PMTiles archive that is open for reading: its header, its description and its root directory. Leaf
/// directories are read when a tile needs them.
///
/// This is a class so that its `deinit` drops the leaf directories. Thread rule: any thread.
final class PMTilesArchive: Sendable {
    let header: PMTilesHeader
    /// The archive's own description. The revision in it is that of the archive.
    let description: SourceDescription
    private let root: PMTilesDirectory
    private let leaves: PMTilesLeaves
    private let number: Int

    /// The first bytes of an archive. They contain the header and the root directory.
    static let beginning = Int(PMTilesHeader.rootLimit)

    /// Makes the archive from its first bytes and from the bytes of its metadata. `revision` distinguishes it from
    /// other archives at the same place.
    init(
        header: PMTilesHeader, beginning: SharedBytes, metadata: SharedBytes, revision: String, leaves: PMTilesLeaves
    ) throws(PMTilesError) {
        guard header.root.upperBound <= UInt64(beginning.count) else {
            throw .beyondFile(
                .rootDirectory, end: header.root.upperBound, length: UInt64(beginning.count))
        }
        let bytes = UnsafeRawBufferPointer(
            rebasing: beginning.buffer[Int(header.root.lowerBound)..<Int(header.root.upperBound)])
        root = try Self.directory(bytes, header)
        var description = try PMTilesMetadata(metadata.buffer, compression: header.internalCompression).description
        (description.bounds, description.zooms) = (header.bounds, header.zooms)
        (description.center, description.format) = (header.center, header.format)
        description.revision = revision
        self.description = description
        self.header = header
        self.leaves = leaves
        number = leaves.newArchive()
    }

    deinit { leaves.drop(archive: number) }

    private static func directory(
        _ bytes: UnsafeRawBufferPointer, _ header: PMTilesHeader
    ) throws(PMTilesError) -> PMTilesDirectory {
        do throws(PMTilesDirectoryError) {
            return try PMTilesDirectory(bytes, compression: header.internalCompression)
        } catch {
            throw .directory(error)
        }
    }

    /// Begins a search for the bytes of a tile.
    func search(for tile: TileCoordinate) -> Search {
        Search(archive: self, id: PMTilesTileID(tile), directory: root)
    }

    /// The way from the root directory to a tile. If `next` returns a leaf directory, the caller reads its bytes and
    /// passes them to `enter`.
    struct Search {
        fileprivate let archive: PMTilesArchive
        fileprivate let id: PMTilesTileID
        fileprivate var directory: PMTilesDirectory
        private var depth = 0

        enum Step {
            case absent
            /// The place of the tile's bytes in the archive.
            case tile(ByteRange)
            case leaf(ByteRange)
        }

        fileprivate init(archive: PMTilesArchive, id: PMTilesTileID, directory: PMTilesDirectory) {
            (self.archive, self.id, self.directory) = (archive, id, directory)
        }

        /// Goes on through directories that are in memory.
        mutating func next() throws(PMTilesError) -> Step {
            while let place = directory.place(of: id) {
                switch place {
                case .tile(let offset, let length):
                    let range = try archive.header.tile(offset: offset, length: length)
                    return .tile(try range.bytes(in: .tileData))
                case .leaf(let offset, let length):
                    let range = try archive.header.leaf(offset: offset, length: length)
                    guard let known = archive.leaves.directory(archive.key(range)) else {
                        return .leaf(try range.bytes(in: .leafDirectories))
                    }
                    try enter(known)
                }
            }
            return .absent
        }

        /// Goes on in the leaf directory with these bytes, which `next` has asked for.
        mutating func enter(_ bytes: SharedBytes, at range: ByteRange) throws(PMTilesError) {
            let leaf = try PMTilesArchive.directory(bytes.buffer, archive.header)
            let end = UInt64(range.first) + UInt64(range.count)
            archive.leaves.keep(leaf, archive.key(UInt64(range.first)..<end))
            try enter(leaf)
        }

        private mutating func enter(_ leaf: PMTilesDirectory) throws(PMTilesError) {
            depth += 1
            guard depth <= PMTilesDirectory.deepest else { throw .tooDeep(limit: PMTilesDirectory.deepest) }
            directory = leaf
        }
    }

    private func key(_ range: Range<UInt64>) -> PMTilesLeaves.Key { PMTilesLeaves.Key(archive: number, range: range) }

    /// Returns the image in the bytes of a tile.
    func image(_ bytes: SharedBytes) throws(PMTilesError) -> SharedBytes {
        try header.image(bytes, limit: MBTilesLayer.largestTile)
    }
}

extension Range<UInt64> {
    /// Returns the range in the form for requests. Throws for a range that no file can have.
    func bytes(in section: PMTilesError.Section) throws(PMTilesError) -> ByteRange {
        guard lowerBound < upperBound, let first = Int(exactly: lowerBound),
            let range = ByteRange(first: first, count: Int(clamping: upperBound - lowerBound))
        else { throw .outside(section, offset: lowerBound, length: UInt32(clamping: upperBound - lowerBound)) }
        return range
    }
}
