import Bytes
import Files
import HTTPClient
import TileArchives
import Tiles

/// A PMTiles archive in a local file that is open for reading.
///
/// This is a class because it owns the file's descriptor. Thread rule: any thread that may block.
final class PMTilesFile: Sendable {
    /// The identity of the file when it was opened.
    let identity: FileIdentity
    let archive: PMTilesArchive
    private let file: RegularFile

    /// Maximum bytes of the metadata as stored. `PMTilesMetadata` limits the inflated bytes.
    static let largestMetadata: UInt64 = 1 << 20

    /// Opens the file, and reads its header, its metadata and its root directory.
    init(path: String, leaves: PMTilesLeaves = PMTilesLeaves()) throws(PMTilesFileError) {
        do {
            let file = try RegularFile(path)
            let length = UInt64(clamping: file.status.st_size)
            let beginning = try file.bytes(at: 0, count: min(Int(length), PMTilesArchive.beginning))
            let header = try PMTilesHeader(beginning.buffer, length: length)
            let size = header.metadata.upperBound - header.metadata.lowerBound
            guard size <= Self.largestMetadata else {
                throw PMTilesError.metadataTooLarge(limit: Int(Self.largestMetadata))
            }
            let metadata = try file.bytes(at: Int(clamping: header.metadata.lowerBound), count: Int(size))
            identity = FileIdentity(file.status)
            archive = try PMTilesArchive(
                header: header, beginning: beginning, metadata: metadata, revision: "\(identity)", leaves: leaves)
            self.file = file
        } catch let error as FileError {
            throw PMTilesFileError(path: path, error)
        } catch let error as PMTilesError {
            throw PMTilesFileError(path: path, reason: "\(error)")
        } catch {
            throw PMTilesFileError(path: path, reason: "\(error)")
        }
    }

    /// Reads bytes of the file. Throws `FileError`.
    func bytes(_ range: ByteRange) throws(FileError) -> SharedBytes {
        try file.bytes(at: range.first, count: range.count)
    }

    /// True if the content of the open file is as it was when the file was opened. Bytes that were read before are then
    /// of that content.
    var isUnchanged: Bool { file.currentStatus.map { FileIdentity($0) == identity } ?? false }
}

/// The reason why a PMTiles file cannot be served. The description names the file, and is one line without control
/// characters.
package struct PMTilesFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path as it was given.
    package let path: String
    private let reason: String

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
