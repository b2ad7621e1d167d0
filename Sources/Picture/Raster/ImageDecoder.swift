import Bytes
import CTurboJPEG

/// Reads PNG, JPEG and WebP into pixels; which of them it is, the first bytes say.
///
/// Thread rule: any thread; blocks while it computes.
public enum ImageDecoder {
    /// The most scans of a progressive JPEG. Encoders write about ten; each costs a pass over all coefficients.
    static let maxScans = 64

    /// The pixels of the image in `bytes`: straight alpha, no colour management (neither gAMA nor profiles are
    /// applied), and not turned as EXIF says. 16 bits a channel become their upper 8.
    ///
    /// Refuses more than `maxSide` pixels a side, at most 16,384, before it takes memory for them, and takes no more
    /// than the pixels and what the codec needs for as many: nothing but pixels is inflated, and of them no byte too
    /// many. Of an animated WebP it is the first frame, on a transparent canvas. CMYK is printed without a profile. A GIF is
    /// `unsupported`.
    public static func decode(
        _ bytes: UnsafeRawBufferPointer, maxSide: Int = ImageHeader.maxSide
    ) throws(ImageError) -> Pixmap {
        let header: ImageHeader
        do {
            header = try ImageHeader(parsing: bytes, maxSide: maxSide)
        } catch {
            throw .header(error)
        }
        switch header.format {
        case .png: return try decodePNG(bytes, header)
        case .jpeg: return try decodeJPEG(bytes, header)
        case .webp: return try WebPDecoder.decode(bytes, header)
        case .gif: throw .unsupported("a GIF")
        }
    }

    /// Bytes that `decode` takes for an image of `pixels` pixels, as measured with noise: 4 bytes a pixel for the result, the
    /// codec's own bytes a pixel, and 256 KiB for any image. `pixels` must not be negative.
    package static func memory(ofPixels pixels: Int, as format: ImageFormat) -> Int {
        let codec =
            switch format {
            case .png: 0
            // A progressive JPEG keeps three coefficients a pixel, of two bytes each, if its colours are not subsampled.
            case .jpeg: 6
            // Lossless WebP keeps the colours of the whole image before they are put together.
            case .webp: 5
            case .gif: 0
            }
        return pixels * (4 + codec) + (256 << 10)
    }

    /// As `decode(_:maxSide:)` of raw bytes, keeping `bytes` alive meanwhile.
    public static func decode(
        _ bytes: SharedBytes, maxSide: Int = ImageHeader.maxSide
    ) throws(ImageError) -> Pixmap {
        defer { withExtendedLifetime(bytes) {} }
        return try decode(bytes.buffer, maxSide: maxSide)
    }

    private static func decodePNG(_ bytes: UnsafeRawBufferPointer, _ header: ImageHeader) throws(ImageError) -> Pixmap {
        do {
            return try PNGDecoder.decode(bytes, header)
        } catch {
            throw .broken(.png, found: error.reason)
        }
    }

    private static func decodeJPEG(
        _ bytes: UnsafeRawBufferPointer, _ header: ImageHeader
    ) throws(ImageError) -> Pixmap {
        let reader = ByteReader(bytes)
        guard reader.countJPEGScans(upTo: maxScans + 1) <= maxScans else {
            throw .unsupported("a JPEG with more than \(maxScans) scans")
        }
        var message = [CChar](repeating: 0, count: Int(CTURBOJPEG_MESSAGE_SIZE))
        var result = CTURBOJPEG_BROKEN
        let decoded = Pixmap(width: header.width, height: header.height) { pixels in
            result = cturbojpeg_decode(
                bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count, Int32(header.width),
                Int32(header.height), pixels, &message)
            return result == CTURBOJPEG_DECODED
        }
        if let decoded { return decoded }
        let reason = String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        throw .broken(.jpeg, found: reason)
    }
}
