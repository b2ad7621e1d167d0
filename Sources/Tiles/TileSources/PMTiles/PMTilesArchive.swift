import Bytes
import HTTPClient
import MapGeometry
import Raster
import TileArchives
import Tiles

/// One version of a PMTiles archive that is open for reading: its header, its description and its root directory. A
/// leaf directory is read when the search for a tile leads to it.
///
/// This is a class so that its `deinit` removes its leaf directories from the cache. Thread rule: any thread may call
/// these functions.
final class PMTilesArchive: Sendable {
    let header: PMTilesHeader
    /// The description of the archive, from its header, its metadata and its first tile. `revision` in the description
    /// identifies the version of the archive.
    let description: SourceDescription
    private let root: PMTilesDirectory
    private let leaves: PMTilesLeaves
    private let number: Int

    /// Number of bytes to read first from an archive. PMTiles requires that the header and the root directory lie
    /// within these bytes.
    static let beginning = Int(PMTilesHeader.rootLimit)

    /// The parts of an archive that are read when the archive is opened: the header, the root directory and the
    /// metadata.
    struct Parts {
        let header: PMTilesHeader
        let root: PMTilesDirectory
        private(set) var metadata = PMTilesMetadata()
        /// The leaf directory that leads to the first tile. Nil if no such directory was read.
        fileprivate var firstLeaf: (range: ByteRange, directory: PMTilesDirectory)?

        /// Parses the header and the root directory in `beginning`, the first bytes of an archive. `length` is the
        /// number of bytes of the archive, or nil if it is unknown.
        init(_ beginning: SharedBytes, length: UInt64?) throws(PMTilesError) {
            header = try PMTilesHeader(beginning, length: length)
            guard header.root.upperBound <= UInt64(beginning.count) else {
                throw .beyondFile(.rootDirectory, end: header.root.upperBound, length: UInt64(beginning.count))
            }
            let range = Int(header.root.lowerBound)..<Int(header.root.upperBound)
            root = try PMTilesArchive.directory(beginning, part: range, header)
        }

        /// Returns the range of the metadata's bytes in the archive, or nil if the archive has no metadata. Throws
        /// `metadataTooLarge` if the metadata has more than `PMTilesMetadata.largest` bytes.
        func metadataRange() throws(PMTilesError) -> ByteRange? {
            guard !header.metadata.isEmpty else { return nil }
            let range = try header.metadata.bytes(in: .metadata)
            guard range.count <= PMTilesMetadata.largest else {
                throw .metadataTooLarge(limit: PMTilesMetadata.largest)
            }
            return range
        }

        mutating func setMetadata(_ bytes: SharedBytes) throws(PMTilesError) {
            metadata = try PMTilesMetadata(bytes, compression: header.internalCompression)
        }
    }

    /// Makes an archive from the `parts` that were read. `firstTile` is the image header of the archive's first tile,
    /// or nil if it is unknown. `revision` identifies the version of the archive: another version at the same path or
    /// URL has another revision. `lastModified` is the time of the last change in seconds since 1970. `leaves` is the
    /// cache for leaf directories.
    init(
        _ parts: Parts, firstTile: ImageHeader?, revision: String, lastModified: Int?, leaves: PMTilesLeaves
    ) {
        header = parts.header
        root = parts.root
        var description = parts.metadata.description(parts.header, firstTile: firstTile)
        (description.revision, description.lastModified) = (revision, lastModified)
        self.description = description
        self.leaves = leaves
        number = leaves.newArchive()
        if let leaf = parts.firstLeaf { leaves.keep(leaf.directory, key(leaf.range.bytes)) }
    }

    deinit { leaves.drop(archive: number) }

    fileprivate static func directory(
        _ bytes: SharedBytes, part: Range<Int>? = nil, _ header: PMTilesHeader
    ) throws(PMTilesError) -> PMTilesDirectory {
        do throws(PMTilesDirectoryError) {
            return try PMTilesDirectory(bytes, part: part ?? 0..<bytes.count, compression: header.internalCompression)
        } catch {
            throw .directory(error)
        }
    }

    /// Returns the image of a tile. `bytes` are the tile's bytes in the archive. Inflates the bytes if the archive has
    /// compressed tiles.
    func image(_ bytes: SharedBytes) throws(PMTilesError) -> SharedBytes {
        try header.image(bytes, limit: MBTilesLayer.largestTile)
    }

    // MARK: The way to a tile

    /// Begins a search for a tile.
    func search(for tile: TileCoordinate) -> Search { Search(self, PMTilesTileID(tile), root) }

    /// A search for a tile. The search starts in the root directory and can lead through leaf directories. If `next`
    /// returns `leaf`, the caller reads the bytes of this leaf directory, passes the bytes to `enter`, and calls `next`
    /// again.
    struct Search {
        private let archive: PMTilesArchive
        private var search: PMTilesSearch
        private var directory: PMTilesDirectory

        enum Step {
            case absent
            /// The range of the tile's bytes in the archive.
            case tile(ByteRange)
            /// The range of the bytes of a leaf directory that is not in the cache. The caller must read these bytes.
            case leaf(ByteRange)
        }

        fileprivate init(_ archive: PMTilesArchive, _ id: PMTilesTileID, _ root: PMTilesDirectory) {
            self.archive = archive
            search = PMTilesSearch(id)
            directory = root
        }

        /// Continues the search through the root directory and the leaf directories in the cache. Returns the range of
        /// the tile, the range of a leaf directory that the caller must read, or `absent` if the archive lacks the
        /// tile.
        mutating func next() throws(PMTilesError) -> Step {
            while true {
                switch try search.next(in: directory, archive.header) {
                case .missing: return .absent
                case .tile(let range): return .tile(try range.bytes(in: .tileData))
                case .leaf(let range):
                    guard let known = archive.leaves.directory(archive.key(range)) else {
                        return .leaf(try range.bytes(in: .leafDirectories))
                    }
                    directory = known
                }
            }
        }

        /// Continues the search in a leaf directory, and adds this directory to the cache. `bytes` is the content of
        /// the directory, and `range` is the range of these bytes in the archive.
        mutating func enter(_ bytes: SharedBytes, at range: ByteRange) throws(PMTilesError) {
            directory = try PMTilesArchive.directory(bytes, archive.header)
            archive.leaves.keep(directory, archive.key(range.bytes))
        }
    }

    private func key(_ range: Range<UInt64>) -> PMTilesLeaves.Key { PMTilesLeaves.Key(archive: number, range: range) }
}

extension PMTilesArchive.Parts {
    /// The range of the first tile's bytes in the archive, or of a leaf directory that leads to this tile. The layer
    /// reads the first tile because its image shows the width and height of all tiles.
    enum FirstTile {
        case tile(ByteRange)
        /// A leaf directory leads to the tile.
        case leaf(ByteRange)
        /// The tile has more than 4 MiB, the limit for tiles of all archives. The server does not read such a tile, so
        /// the size of the archive's tiles in pixels stays unknown.
        case unknown
    }

    /// Looks up the first tile in the root directory. Returns the range of this tile's bytes, or of a leaf directory
    /// that leads to this tile.
    func firstTile() throws(PMTilesError) -> FirstTile { try place(of: root[0]) }

    /// Looks up the first tile in a leaf directory, and stores this directory in `firstLeaf`. `bytes` is the content of
    /// the directory, and `range` is the range of these bytes in the archive.
    mutating func firstTile(inLeaf bytes: SharedBytes, at range: ByteRange) throws(PMTilesError) -> FirstTile {
        let directory = try PMTilesArchive.directory(bytes, header)
        firstLeaf = (range, directory)
        return try place(of: directory[0])
    }

    /// Returns the header of the image in `bytes`, the bytes of the first tile. Returns nil if they are not an image:
    /// one wrong tile does not make the archive useless.
    func imageHeader(_ bytes: SharedBytes) -> ImageHeader? {
        try? ImageHeader(parsing: header.image(bytes, limit: MBTilesLayer.largestTile))
    }

    private func place(of entry: PMTilesDirectory.Entry) throws(PMTilesError) -> FirstTile {
        if entry.isLeaf {
            return .leaf(try header.leaf(offset: entry.offset, length: entry.length).bytes(in: .leafDirectories))
        }
        let range = try header.tile(offset: entry.offset, length: entry.length).bytes(in: .tileData)
        return range.count <= MBTilesLayer.largestTile ? .tile(range) : .unknown
    }
}

extension ByteRange {
    fileprivate var bytes: Range<UInt64> { UInt64(first)..<UInt64(first) + UInt64(count) }
}

extension Range<UInt64> {
    /// Returns this range as a `ByteRange`, the type that requests for bytes need. Throws `PMTilesError.outside` if the
    /// range is empty or too large for any file. `section` names the part of the archive in this error.
    func bytes(in section: PMTilesError.Section) throws(PMTilesError) -> ByteRange {
        guard lowerBound < upperBound, let first = Int(exactly: lowerBound),
            let range = ByteRange(first: first, count: Int(clamping: upperBound - lowerBound))
        else { throw .outside(section, offset: lowerBound, length: UInt32(clamping: upperBound - lowerBound)) }
        return range
    }
}
