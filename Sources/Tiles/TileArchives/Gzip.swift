import Bytes
import CZlib
import Glibc

/// Compresses and inflates gzip (RFC 1952) in memory.
package enum Gzip {
    /// The reason why bytes cannot be inflated.
    package enum InflateError: Error, Hashable, Sendable {
        /// The bytes are not gzip, are cut off, or have a wrong checksum.
        case damaged
        /// The inflated bytes would be more than `limit`.
        case tooLarge(limit: Int)
        /// The system has no memory for the inflated bytes.
        case outOfMemory
    }

    /// Returns the inflated bytes. Throws `tooLarge` if there are more than `limit` inflated bytes. Memory grows
    /// with the inflated bytes, and a large `limit` alone takes no memory. Time is bounded by `limit` and by the
    /// number of compressed bytes.
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

    /// Returns `bytes` as gzip, compressed at zlib's default level 6. Returns nil if the system has no memory, or if
    /// `bytes` has 2 GiB or more.
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
