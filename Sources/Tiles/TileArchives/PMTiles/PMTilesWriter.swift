import Bytes
import Foundation
import MapGeometry
import Raster
import Tiles

/// Writes a PMTiles archive in one pass. The caller appends tiles in the order of their tile IDs, so the archive is
/// clustered: the images are stored in this order. The writer stores identical images only once. Consecutive tiles with
/// identical images share one directory entry.
///
/// The header and the root directory stand in the first 16,384 bytes. The tile data follows. The metadata and the leaf
/// directories are last, because their sizes are known only at the end (PMTiles 3 allows any order).
///
/// Memory does not grow with the number of tiles. The index of written images uses up to 40 MiB (`PMTilesImageIndex`),
/// and buffers use some MiB. The writer keeps the entries in a file beside the draft, with 24 bytes each: 2.4 GB for
/// 100 million different tiles. At the end, a leaf directory uses 48 bytes for each of its entries, at most 13 MiB.
///
/// Thread rule: any thread that may block may use the writer, one thread at a time. A copy of the writer writes to the
/// draft of the original, so the caller must use only one of them.
package struct PMTilesWriter: TileArchiveWriter {
    /// Maximum number of bytes of an image: 64 MiB. `PMTilesFileBytes` cannot read a larger image, because this number
    /// is its limit for one read.
    package static let largestImage = PMTilesFileBytes.longestRead

    private let target: String
    /// The files of the unfinished archive. Nil after the writer has finished or discarded the archive.
    private var draft: PMTilesDraft?
    private var images: PMTilesImageIndex
    private var first: PMTilesTileID?
    private var last: PMTilesTileID?
    /// The last directory entry, which the writer has not yet appended to the file of entries. If the next tile has the
    /// next tile ID and an identical image, the writer adds the tile to this entry.
    private var open: PMTilesDirectory.Entry?
    private var (addressed, contents): (UInt64, UInt64) = (0, 0)

    /// Begins an archive at the path `target`. If `replaces` is false, this initialiser and `finish` throw `exists` if
    /// a file exists at `target`.
    package init(target: String, replaces: Bool) throws {
        try self.init(target: target, replaces: replaces, images: PMTilesImageIndex())
    }

    init(target: String, replaces: Bool, images: PMTilesImageIndex) throws(TileArchiveError) {
        draft = try PMTilesDraft(target: target, replaces: replaces)
        (self.target, self.images) = (target, images)
    }

    /// Adds `tile` with its encoded image. Throws `outOfOrder` if the tile ID is not greater than the last one. Throws
    /// `imageSize` if the image is empty or has more than `largestImage` bytes. After these two errors, the archive is
    /// unchanged, and the caller may add other tiles. Any other error discards the archive.
    package mutating func append(_ tile: TileCoordinate, _ image: SharedBytes) throws {
        guard let draft else { throw TileArchiveError.closed(path: target) }
        let id = PMTilesTileID(tile)
        if let last, id <= last { throw TileArchiveError.outOfOrder(tile, after: last.tile) }
        guard (1...Self.largestImage).contains(image.count) else {
            throw TileArchiveError.imageSize(tile, bytes: image.count, limit: Self.largestImage)
        }
        do throws(TileArchiveError) {
            try add(id, image, to: draft)
        } catch {
            discard()
            throw error
        }
    }

    private mutating func add(
        _ id: PMTilesTileID, _ image: SharedBytes, to draft: PMTilesDraft
    ) throws(TileArchiveError) {
        let key = PMTilesImageIndex.Key(image)
        let offset: UInt64
        if let known = images.offset(of: key) {
            offset = known
        } else {
            offset = try draft.data.append(image.buffer) - PMTilesHeader.rootLimit
            images.insert(key, offset)
            contents += 1
        }
        addressed += 1
        if first == nil { first = id }
        last = id
        if let entry = open {
            let isNext = id.value == entry.id + UInt64(entry.run) && entry.offset == offset
            if isNext, entry.run < .max {
                open?.run += 1
                return
            }
            try draft.entries.append(entry)
        }
        open = PMTilesDirectory.Entry(id: id.value, offset: offset, length: UInt32(image.count), run: 1)
    }

    /// Deletes the unfinished archive. Does nothing after `finish` or an earlier `discard`.
    package mutating func discard() { draft = nil }

    /// Completes the archive, and renames the draft to the target. The archive gets the texts, the format, the bounds
    /// and the centre of `description`, and the zooms of the tiles that were appended. Discards the archive if an error
    /// occurs.
    package mutating func finish(_ description: SourceDescription) throws {
        try finish(description, extra: [:])
    }

    /// Completes the archive like `finish(_:)`, and adds the texts in `extra` to the metadata. If `description` and
    /// `extra` have a text under the same key, the archive gets the text of `description`.
    package mutating func finish(_ description: SourceDescription, extra: [String: String]) throws {
        guard let draft else { throw TileArchiveError.closed(path: target) }
        self.draft = nil
        guard let open, let first, let last else { throw TileArchiveError.noTiles }
        guard let format = description.format, PMTilesEncoder.type(format) != nil else {
            throw TileArchiveError.format
        }
        try draft.entries.append(open)
        let tiles = PMTilesHeader.rootLimit..<draft.data.end
        let json = try Self.metadata(description, extra)
        let metadata = try draft.data.append(json)..<draft.data.end
        let directories = try PMTilesDirectories(draft)
        let rootStart = UInt64(PMTilesHeader.size)
        var header = PMTilesHeader(
            root: rootStart..<(rootStart + UInt64(directories.root.count)), metadata: metadata,
            leaves: directories.leaves, tiles: tiles, format: format, zooms: first.zoom...last.zoom)
        (header.addressedTiles, header.tileContents) = (addressed, contents)
        (header.tileEntries, header.isClustered) = (draft.entries.count, true)
        header.setPlace(description)
        guard let front = PMTilesEncoder.header(header) else { throw TileArchiveError.format }
        try (front + directories.root).withUnsafeBytes { try draft.data.write($0, at: 0) }
        try draft.data.place()
    }

    private static func metadata(
        _ description: SourceDescription, _ extra: [String: String]
    ) throws(TileArchiveError) -> [UInt8] {
        var fields = extra
        fields["name"] = description.name ?? extra["name"]
        fields["description"] = description.description ?? extra["description"]
        fields["attribution"] = description.attribution ?? extra["attribution"]
        fields["version"] = description.version ?? extra["version"]
        fields["type"] = description.kind?.rawValue ?? extra["type"]
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Only a failure inside of the encoder is left: strings always have a JSON form.
        guard let json = try? encoder.encode(fields), json.count <= PMTilesMetadata.largest else {
            throw .metadata(limit: PMTilesMetadata.largest)
        }
        guard let bytes = Gzip.compressed(Array(json)) else { throw .outOfMemory }
        return bytes
    }
}

extension PMTilesHeader {
    /// Sets the bounds and the centre of the header from `description`. If the description has no bounds, uses the
    /// bounds of the whole map. If the description has no centre, uses the middle of the bounds.
    fileprivate mutating func setPlace(_ description: SourceDescription) {
        let box = description.bounds ?? .world
        // PMTiles calls the edges minimum and maximum, so a box across the antimeridian becomes as wide as the world.
        let crosses = box.west > box.east
        bounds =
            crosses ? GeographicBox(validatingWest: -180, south: box.south, east: 180, north: box.north) : box
        let width = crosses ? box.east + 360 - box.west : box.east - box.west
        let middle = box.west + width / 2
        let place = SourceDescription.Center(
            longitude: middle > 180 ? middle - 360 : middle, latitude: (box.south + box.north) / 2,
            zoom: zooms.lowerBound)
        center = description.center ?? place
        guard let center, !zooms.contains(center.zoom) else { return }
        // Readers expect a zoom that has tiles.
        self.center = SourceDescription.Center(
            longitude: center.longitude, latitude: center.latitude,
            zoom: min(max(center.zoom, zooms.lowerBound), zooms.upperBound))
    }
}
