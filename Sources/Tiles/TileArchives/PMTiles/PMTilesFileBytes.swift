import Bytes
import Files
import Glibc

/// The bytes of an archive, for example in a file. `PMTilesCheck` reads archives through this protocol.
package protocol PMTilesBytes {
    /// Returns exactly the bytes of `range`. Throws if there are fewer.
    func read(_ range: Range<UInt64>) throws -> SharedBytes
}

/// The bytes of a PMTiles archive in a file of this machine.
///
/// This is a class because it owns the descriptor. Thread rule: any thread that may block.
package final class PMTilesFileBytes: PMTilesBytes, @unchecked Sendable {
    // Invariant behind @unchecked: the file is read only with pread, which does not use the descriptor's position.
    private let file: RegularFile
    /// The number of bytes that the file had when it was opened.
    package let length: UInt64

    /// Maximum number of bytes of one read. The limit bounds the memory: a directory of a hostile archive may state
    /// that a tile has 4 GiB.
    package static let longestRead = 1 << 26

    /// The reason why bytes cannot be read.
    package enum ReadError: Error, Hashable, Sendable, CustomStringConvertible {
        /// The range is longer than `limit`.
        case tooLong(bytes: UInt64, limit: Int)
        /// The file ends at byte `at`, but the range ends at byte `wanted`.
        case cutOff(at: UInt64, wanted: UInt64)

        package var description: String {
            switch self {
            case .tooLong(let bytes, let limit): "\(bytes) bytes are asked for at once, expected at most \(limit)"
            case .cutOff(let end, let wanted): "the file ends at byte \(end), expected at least \(wanted) bytes"
            }
        }
    }

    /// Opens the file at `path`. Throws `FileError`.
    package init(_ path: String) throws(FileError) {
        file = try RegularFile(path)
        length = UInt64(clamping: file.status.st_size)
    }

    /// Returns the bytes of `range`. Throws `ReadError` or `FileError`, for example if the file has become shorter
    /// since it was opened.
    package func read(_ range: Range<UInt64>) throws -> SharedBytes {
        let count = range.upperBound - range.lowerBound
        guard count <= Self.longestRead else { throw ReadError.tooLong(bytes: count, limit: Self.longestRead) }
        guard range.upperBound <= length else { throw ReadError.cutOff(at: length, wanted: range.upperBound) }
        do throws(FileError) {
            return try file.bytes(at: Int(clamping: range.lowerBound), count: Int(count))
        } catch {
            let end = file.currentStatus.map { UInt64(clamping: $0.st_size) } ?? length
            guard end < range.upperBound else { throw error }
            throw ReadError.cutOff(at: end, wanted: range.upperBound)
        }
    }
}
