import Bytes

/// Reads PNG, JPEG and WebP into pixels; which of them it is, the first bytes say.
///
/// Thread rule: any thread; blocks while it computes.
public enum ImageDecoder {
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
        return try header.format.codec.decode(bytes, header)
    }

    /// Bytes that `decode` takes for an image of `pixels` pixels, as measured with noise: 4 bytes a pixel for the result, the
    /// codec's own bytes a pixel, and 256 KiB for any image. `pixels` must not be negative.
    package static func memory(ofPixels pixels: Int, as format: ImageFormat) -> Int {
        pixels * (4 + format.codec.decodingMemory) + (256 << 10)
    }

    /// As `decode(_:maxSide:)` of raw bytes, keeping `bytes` alive meanwhile.
    public static func decode(
        _ bytes: SharedBytes, maxSide: Int = ImageHeader.maxSide
    ) throws(ImageError) -> Pixmap {
        defer { withExtendedLifetime(bytes) {} }
        return try decode(bytes.buffer, maxSide: maxSide)
    }
}

/// Why bytes were not decoded.
public enum ImageError: Error, Hashable {
    /// Refused before any memory was taken for pixels.
    case header(ImageHeaderError)
    /// An image of a sort that is not decoded here, for example `a GIF`.
    case unsupported(String)
    /// The data behind a sound header are damaged; the codec's words.
    case broken(ImageFormat, found: String)
}

extension ImageError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .header(let error): error.description
        case .unsupported(let found):
            "expected a \(ImageFormat.names(ImageFormat.allCases.filter { $0.traits.contains(.isDecoded) })), found \(found)"
        case .broken(let format, let found):
            "expected sound \(format) data, found: \(found)"
        }
    }
}
