import Bytes
import MapGeometry
import Raster
import Tiles

/// The header of a PMTiles archive: its first 127 bytes (PMTiles 3, Header). The header states the positions of the
/// other sections, and facts about the tiles. The initialisers that read a header accept only archives that this server
/// can serve: version 3, raster tiles, and directories in gzip or without compression.
package struct PMTilesHeader: Hashable, Sendable {
    /// The number of bytes of the header.
    package static let size = 127
    /// The header and the whole root directory lie within this number of bytes at the start of an archive. A reader of
    /// a remote archive fetches these bytes with its first request.
    package static let rootLimit: UInt64 = 16_384

    /// A method of compression that is read.
    package enum Compression: UInt8, Sendable {
        case none = 1
        case gzip = 2
    }

    /// The positions of the four sections in the file, as ranges of bytes: root directory, metadata, leaf directories
    /// and images of tiles. The metadata and the leaf directories may be empty.
    package var root: Range<UInt64>
    package var metadata: Range<UInt64>
    package var leaves: Range<UInt64>
    package var tiles: Range<UInt64>
    /// The number of tiles in the archive. In this property, in `tileEntries` and in `tileContents`, the value 0 means
    /// that the number is unknown.
    package var addressedTiles: UInt64 = 0
    /// The number of entries that refer to tiles, in all directories together.
    package var tileEntries: UInt64 = 0
    /// The number of different images.
    package var tileContents: UInt64 = 0
    /// True if the header states that the archive stores its images in the order of their tile IDs.
    package var isClustered = false
    /// The compression of directories and metadata.
    package var internalCompression = Compression.gzip
    /// The compression of the tiles' bytes in the archive. Most archives use none, because image formats compress the
    /// images already.
    package var tileCompression = Compression.none
    package var format: ImageFormat
    /// The zooms that have tiles, within 0…30.
    package var zooms: ClosedRange<Int>
    /// The area of the tiles. Nil if the width or the height of the area in the header is zero: some programs write
    /// such an area.
    package var bounds: GeographicBox?
    /// The place and the zoom that a map shows first. Nil if the header has a longitude outside of ±180, a latitude
    /// outside of ±90, or a zoom above 30.
    package var center: SourceDescription.Center?

    /// Reads the header from the first bytes of an archive. `bytes` may have more than 127 bytes. `length` is the
    /// number of bytes of the whole archive, or nil if this number is unknown. If several fields are invalid, throws
    /// the error of the first invalid field.
    package init(_ bytes: UnsafeRawBufferPointer, length: UInt64? = nil) throws(PMTilesError) {
        let magic = Array("PMTiles".utf8)
        guard bytes.prefix(magic.count).elementsEqual(magic) else {
            guard bytes.count >= magic.count else { throw .shortHeader(bytes: bytes.count) }
            // The versions 1 and 2 begin with `PM` and the version in two bytes.
            let isOld = bytes.starts(with: magic.prefix(2)) && (1...2).contains(bytes[2]) && bytes[3] == 0
            throw isOld ? .version(bytes[2]) : .notPMTiles
        }
        let fields = try PMTilesFields(bytes)
        guard bytes[7] == 3 else { throw .version(bytes[7]) }
        root = try fields.section(.rootDirectory, at: 8, length)
        guard root.upperBound <= Self.rootLimit else { throw .rootTooFar(end: root.upperBound) }
        metadata = try fields.section(.metadata, at: 24, length)
        leaves = try fields.section(.leafDirectories, at: 40, length)
        tiles = try fields.section(.tileData, at: 56, length)
        (addressedTiles, tileEntries, tileContents) = (fields.uint64(72), fields.uint64(80), fields.uint64(88))
        isClustered = bytes[96] == 1
        guard let method = Compression(rawValue: bytes[97]) else { throw .internalCompression(bytes[97]) }
        internalCompression = method
        // Some programs say "unknown" for images that they store as they are. The decoder refuses other bytes.
        guard let method = bytes[98] == 0 ? Compression.none : Compression(rawValue: bytes[98]) else {
            throw .tileCompression(bytes[98])
        }
        tileCompression = method
        format = try Self.format(bytes[99])
        let (low, high) = (bytes[100], bytes[101])
        guard low <= high, high <= TileCoordinate.maxZoom else { throw .zooms(low, high) }
        zooms = Int(low)...Int(high)
        bounds = try fields.bounds(at: 102)
        center = SourceDescription.Center(
            longitude: fields.degrees(119), latitude: fields.degrees(123), zoom: Int(bytes[118]))
    }

    /// Reads the header from `bytes`. The initialiser that takes an `UnsafeRawBufferPointer` has the rules.
    package init(_ bytes: SharedBytes, length: UInt64? = nil) throws(PMTilesError) {
        // The buffer is valid only as long as its owner.
        defer { withExtendedLifetime(bytes) {} }
        try self.init(bytes.buffer, length: length)
    }

    /// Creates the header of a new archive.
    init(
        root: Range<UInt64>, metadata: Range<UInt64>, leaves: Range<UInt64>, tiles: Range<UInt64>,
        format: ImageFormat, zooms: ClosedRange<Int>
    ) {
        (self.root, self.metadata, self.leaves, self.tiles) = (root, metadata, leaves, tiles)
        (self.format, self.zooms) = (format, zooms)
    }

    private static func format(_ type: UInt8) throws(PMTilesError) -> ImageFormat {
        switch type {
        case 1: throw .vectorTiles(kind: "MVT")
        case 2: return .png
        case 3: return .jpeg
        case 4: return .webp
        case 6: throw .vectorTiles(kind: "MLT")
        default: throw .tileType(type)
        }
    }
}

extension PMTilesHeader {
    /// Returns the position of a leaf directory in the file, as a range of bytes. `offset` counts from the start of the
    /// section of leaf directories, and `length` is in bytes. Throws `outside` if the section does not contain all
    /// these bytes.
    package func leaf(offset: UInt64, length: UInt32) throws(PMTilesError) -> Range<UInt64> {
        try part(of: leaves, .leafDirectories, offset, length)
    }

    /// Returns the position of a tile's image in the file, as a range of bytes. `offset` counts from the start of the
    /// section of tile data, and `length` is in bytes. Throws `outside` if the section does not contain all these
    /// bytes.
    package func tile(offset: UInt64, length: UInt32) throws(PMTilesError) -> Range<UInt64> {
        try part(of: tiles, .tileData, offset, length)
    }

    private func part(
        of section: Range<UInt64>, _ name: PMTilesError.Section, _ offset: UInt64, _ length: UInt32
    ) throws(PMTilesError) -> Range<UInt64> {
        let size = section.upperBound - section.lowerBound
        guard offset <= size, UInt64(length) <= size - offset else {
            throw .outside(name, offset: offset, length: length)
        }
        let start = section.lowerBound + offset
        return start..<(start + UInt64(length))
    }

    /// Returns the image of a tile. `bytes` are the tile's bytes in the archive. If the header states gzip and `bytes`
    /// are gzip data, inflates `bytes`. Throws `PMTilesError.tile` if the data is damaged, or if the image has more
    /// than `limit` bytes.
    package func image(_ bytes: SharedBytes, limit: Int) throws(PMTilesError) -> SharedBytes {
        // Some programs say gzip for images that they store as they are. No image begins with these two bytes.
        guard tileCompression == .gzip, bytes.buffer.starts(with: [0x1F, 0x8B]) else { return bytes }
        do throws(Gzip.InflateError) {
            return SharedBytes(try Gzip.inflated(bytes.buffer, limit: limit))
        } catch {
            throw .tile(error)
        }
    }
}
