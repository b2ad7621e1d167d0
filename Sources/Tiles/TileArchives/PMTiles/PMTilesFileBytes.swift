import Bytes
import Files
import Glibc

/// Gives access to the bytes of an archive, for example in a file. `PMTilesCheck` reads archives through this protocol.
package protocol PMTilesBytes {
    /// Returns exactly the bytes of `range`, which counts from the start of the archive. Throws an error if the archive
    /// ends before the end of `range`.
    func read(_ range: Range<UInt64>) throws -> SharedBytes
}

/// Reads the bytes of a PMTiles archive in a local file.
///
/// This type is a class because it owns the file descriptor. Thread rule: any thread that may block may call `read`,
/// also several threads at the same time.
package final class PMTilesFileBytes: PMTilesBytes, @unchecked Sendable {
    // Invariant behind @unchecked: the file is read only with pread, which does not use the descriptor's position.
    private let file: RegularFile
    /// The number of bytes that the file had when this object opened it.
    package let length: UInt64

    /// Maximum number of bytes that one call of `read` returns: 64 MiB. The limit bounds the memory, because a
    /// directory of a hostile archive may state that a tile has 4 GiB.
    package static let longestRead = 1 << 26

    /// The reason why bytes cannot be read.
    package enum ReadError: Error, Hashable, Sendable, CustomStringConvertible {
        /// The range is longer than `limit`.
        case tooLong(bytes: UInt64, limit: Int)
        /// The file ends at byte `at`, but the requested range ends at byte `wanted`.
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

    /// Returns the bytes of `range`, which counts from the start of the file. Throws `ReadError.tooLong` if `range` has
    /// more than `longestRead` bytes. Throws `ReadError.cutOff` if the file ends before the end of `range`, for example
    /// because another program has shortened the file. Throws `FileError` if the system cannot read the file.
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
