import Bytes
import CLibPNG
import Glibc

/// Reads PNG of any kind.
///
/// Thread rule: any thread; blocks while it computes.
public enum PNGDecoder {
    /// The most pixels a side that are read (threats.md 2).
    public static let maxSide = 2048

    /// As `decode(_:)` of raw bytes, keeping `bytes` alive meanwhile.
    public static func decode(_ bytes: SharedBytes) throws(PNGError) -> Pixmap {
        defer { withExtendedLifetime(bytes) {} }
        return try decode(bytes.buffer)
    }

    /// The pixels of the PNG `bytes`, as straight RGBA8; 16-bit channels lose their lower byte.
    ///
    /// Dimensions are judged before memory is taken for them; ancillary chunks are skipped, never inflated.
    public static func decode(_ bytes: UnsafeRawBufferPointer) throws(PNGError) -> Pixmap {
        var result = clibpng_result()
        let limit = UInt32(maxSide)
        clibpng_decode(
            bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count, limit, UInt64(limit) * UInt64(limit),
            &result)
        guard let pixels = result.bytes else { throw PNGError(reason: result.text) }
        defer { free(pixels) }
        var pixmap = Pixmap(width: Int(result.width), height: Int(result.height))
        pixmap.bytes.withUnsafeMutableBytes { target in
            target.copyMemory(from: UnsafeRawBufferPointer(start: pixels, count: result.size))
        }
        return pixmap
    }
}
