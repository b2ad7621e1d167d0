import Bytes
import MapGeometry
import Raster
import Tiles

/// Writes a ZIP archive (APPNOTE.TXT 6.3.10). The names of the tiles are `{z}/{x}/{y}.png`, with rows counted from the
/// north. The suffix follows the image format. The last file in the archive is `tilejson.json`. The writer stores
/// images without deflate, because image formats compress the images already. A ZIP archive cannot share data between
/// files, so an image that several tiles use is stored several times.
///
/// All files in the archive have a fixed time, so equal tiles give equal archives. The archive has ZIP64 records only
/// if it needs them: from 4 GiB or from 65,535 files on.
///
/// Memory: two buffers of 256 KiB. The central directory takes about 60 bytes per tile, and the writer keeps it in a
/// temporary file beside the target until the end.
package struct ZipWriter: TileArchiveWriter {
    private let draft: ArchiveDraft
    private let directory: ArchiveDraft
    private let format: ImageFormat
    private var order = TileOrder()
    private var entries: UInt64 = 0

    /// Begins an archive at the path `target`. The names of tiles end in the suffix of `format`. If `replaces` is
    /// false, this initialiser and `finish` throw `exists` if a file exists at `target`.
    package init(target: String, replaces: Bool, format: ImageFormat) throws {
        self.format = format
        draft = try ArchiveDraft(target: target, replaces: replaces)
        directory = try .temporary(beside: target)
    }

    package mutating func append(_ tile: TileCoordinate, _ image: SharedBytes) throws {
        // A larger entry would need a ZIP64 record of its own.
        guard image.count < UInt32.max else {
            throw TileArchiveError.imageSize(tile, bytes: image.count, limit: Int(UInt32.max) - 1)
        }
        try order.check(tile)
        try add("\(tile).\(format.suffix)", image.buffer)
    }

    package mutating func finish(_ description: SourceDescription) throws {
        let document = try ArchiveTileJSON.document(description, format: format, zooms: order.zooms)
        try document.withUnsafeBytes { try add(ArchiveTileJSON.name, $0) }
        let start = draft.end
        try draft.append(contentOf: directory)
        directory.discard()
        try draft.append(ZipRecords.end(entries: entries, directory: start..<draft.end))
        try draft.place()
    }

    package mutating func discard() {
        directory.discard()
        draft.discard()
    }

    private mutating func add(_ name: String, _ content: UnsafeRawBufferPointer) throws {
        let entry = ZipRecords.Entry(
            name: Array(name.utf8), checksum: CRC32.of(content), size: UInt32(content.count), offset: draft.end)
        try draft.append(entry.header)
        try draft.append(content)
        try directory.append(entry.directoryHeader)
        entries += 1
    }
}
