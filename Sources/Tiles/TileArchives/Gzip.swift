import Bytes
import CZlib
import Glibc

/// Compresses bytes to gzip data (RFC 1952), and inflates gzip data. All bytes are in memory.
package enum Gzip {
    /// The reason why bytes cannot be inflated.
    package enum InflateError: Error, Hashable, Sendable {
        /// The bytes are not gzip data, end too early, or have a wrong checksum.
        case damaged
        /// The inflated data would have more than `limit` bytes.
        case tooLarge(limit: Int)
        /// The system cannot provide memory for the inflated bytes.
        case outOfMemory
    }

    /// Inflates the gzip data `bytes`, and returns the inflated bytes. Throws `tooLarge` if the inflated data has more
    /// than `limit` bytes. Memory grows with the inflated data, so a large `limit` alone takes no memory. Time is
    /// bounded by `limit` and by the number of compressed bytes.
    package static func inflated(
        _ bytes: UnsafeRawBufferPointer, limit: Int
    ) throws(InflateError) -> [UInt8] {
        var (result, size): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        let status = czlib_gunzip(
            bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, max(limit, 0), &result, &size)
        defer { free(result) }
        switch status {
        case CZLIB_DONE: return Array(UnsafeBufferPointer(start: result, count: size))
        case CZLIB_TOO_LARGE: throw .tooLarge(limit: limit)
        case CZLIB_NO_MEMORY: throw .outOfMemory
        default: throw .damaged
        }
    }

    /// Returns `bytes` as gzip data, compressed at zlib's default level 6. Returns nil if the system has no memory, or
    /// if `bytes` has at least 2^31 - 1 bytes (about 2 GiB).
    package static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count < Int(Int32.max) else { return nil }
        let capacity = czlib_gzip_bound(bytes.count)
        let result = [UInt8](unsafeUninitializedCapacity: capacity) { result, count in
            count = czlib_gzip(bytes, bytes.count, result.baseAddress, capacity, 6)
        }
        return result.isEmpty ? nil : result
    }
}

extension Gzip.InflateError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .damaged: "the gzip data is damaged or cut off"
        case .tooLarge(let limit): "more than \(limit) bytes after inflation"
        case .outOfMemory: "no memory is left"
        }
    }
}
