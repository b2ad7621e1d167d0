import Bytes
import Files
import HTTPClient
import Raster
import TileArchives
import Tiles

/// A PMTiles archive in a local file that is open for reading.
///
/// This is a class because it owns the file's descriptor. Thread rule: any thread that may block may call these
/// functions.
final class PMTilesFile: Sendable {
    /// The identity of the file (its device, inode, size and time of the last change) when this object opened the file.
    let identity: FileIdentity
    let archive: PMTilesArchive
    private let file: OpenFile

    /// Opens the file at `path`, and reads its header, its root directory, its metadata and its first tile. `leaves` is
    /// the cache for leaf directories.
    init(path: String, leaves: PMTilesLeaves = PMTilesLeaves()) throws(PMTilesFileError) {
        do {
            let file = try OpenFile(path)
            let length = Int(file.regular.status.st_size)
            let beginning = try file.regular.bytes(at: 0, count: min(length, PMTilesArchive.beginning))
            var parts = try PMTilesArchive.Parts(beginning, length: UInt64(clamping: length))
            let read = { (range: ByteRange) in try file.regular.bytes(at: range.first, count: range.count) }
            if let range = try parts.metadataRange() { try parts.setMetadata(read(range)) }
            let firstTile = try Self.firstTile(of: &parts, read)
            identity = FileIdentity(file.regular.status)
            archive = PMTilesArchive(
                parts, firstTile: firstTile, revision: "\(identity)", lastModified: identity.modified, leaves: leaves)
            self.file = file
        } catch let error as FileError {
            throw PMTilesFileError(path: path, error)
        } catch let error as PMTilesError {
            throw PMTilesFileError(path: path, reason: "\(error)")
        } catch {
            throw PMTilesFileError(path: path, reason: "\(error)")
        }
    }

    /// Returns the image header of the archive's first tile. Returns nil if this tile has more than 4 MiB, cannot be
    /// read, is not an image, or lies below more than one level of leaf directories.
    private static func firstTile(
        of parts: inout PMTilesArchive.Parts, _ read: (ByteRange) throws -> SharedBytes
    ) throws -> ImageHeader? {
        var place = try parts.firstTile()
        if case .leaf(let range) = place { place = try parts.firstTile(inLeaf: read(range), at: range) }
        guard case .tile(let range) = place else { return nil }
        return (try? read(range)).flatMap(parts.imageHeader)
    }

    /// Reads bytes of the file. Throws `FileError`.
    func bytes(_ range: ByteRange) throws(FileError) -> SharedBytes {
        try file.regular.bytes(at: range.first, count: range.count)
    }

    /// True if the file has not changed since this object opened it. If this value is true after a read, the bytes of
    /// this read come from the opened version of the file.
    var isUnchanged: Bool { file.regular.currentStatus.map { FileIdentity($0) == identity } ?? false }
}

/// An open file that closures can share. This is a class because it owns the file's descriptor, and because closures
/// cannot share the noncopyable `RegularFile`.
private final class OpenFile: Sendable {
    let regular: RegularFile

    init(_ path: String) throws(FileError) { regular = try RegularFile(path) }
}

/// The reason why a PMTiles file cannot be served. `description` consists of the path and the reason, in one line
/// without control characters.
package struct PMTilesFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path as it was given.
    package let path: String
    let reason: String

    init(path: String, reason: String) {
        self.path = path
        self.reason = reason
    }

    init(path: String, _ error: FileError) {
        switch error {
        case .notRegular(let kind): self.init(path: path, reason: "expected a PMTiles file, found \(kind)")
        default: self.init(path: path, reason: "the PMTiles file cannot be read: \(error)")
        }
    }

    package var description: String {
        "\(PlainText.of(path, limit: 256)): \(PlainText.of(reason, limit: 512))"
    }
}
