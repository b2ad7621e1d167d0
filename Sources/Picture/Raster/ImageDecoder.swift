import Bytes

/// Decodes PNG, JPEG and WebP into pixels. The first bytes of an image tell its format.
///
/// Thread rule: any thread that may compute for long.
public enum ImageDecoder {
    /// The default maximum number of pixels a side. An image with two sides of this length has 4,194,304 pixels
    /// (docs/spec/threats.md 2).
    public static let maxSide = 2048

    /// Decodes the image in `bytes` to straight alpha. The decoder applies no colour management (neither gAMA nor
    /// profiles) and ignores the EXIF orientation. Of 16 bits a channel it keeps the upper 8.
    ///
    /// Images with more than `maxSide` pixels a side, at most 16,384, are refused before memory is allocated for them.
    /// The decoder needs memory only for the pixels and for the codec's work on them. The decoder inflates only pixel
    /// data, and at most one row more than the image has. Of an animated WebP the decoder keeps the first frame, on a
    /// transparent canvas. CMYK is converted without a profile. A GIF throws `unsupported`.
    public static func decode(
        _ bytes: UnsafeRawBufferPointer, maxSide: Int = ImageDecoder.maxSide
    ) throws(ImageError) -> Pixmap {
        let header: ImageHeader
        do {
            header = try ImageHeader(parsing: bytes, maxSide: maxSide)
        } catch {
            throw .header(error)
        }
        return try header.format.codec.decode(bytes, header)
    }

    /// Returns the memory in bytes that `decode` needs for an image of `pixels` pixels, as measured with noise. The
    /// result is the sum of 4 bytes a pixel for the result, the codec's own bytes a pixel, and 256 KiB for any image.
    /// `pixels` must not be negative.
    package static func memory(ofPixels pixels: Int, as format: ImageFormat) -> Int {
        pixels * (4 + format.codec.decodingMemory) + (256 << 10)
    }

    /// Decodes the image in `bytes` like `decode(_:maxSide:)` for raw bytes. Keeps `bytes` alive during the call.
    public static func decode(
        _ bytes: SharedBytes, maxSide: Int = ImageDecoder.maxSide
    ) throws(ImageError) -> Pixmap {
        defer { withExtendedLifetime(bytes) {} }
        return try decode(bytes.buffer, maxSide: maxSide)
    }
}

/// An error that says why an image was not decoded.
public enum ImageError: Error, Hashable {
    /// The header was refused, before memory was allocated for pixels.
    case header(ImageHeaderError)
    /// The decoder does not support this kind of image, for example `a GIF`.
    case unsupported(String)
    /// The header is valid, but the data behind it are damaged, or memory ran out. `found` is the reason.
    case broken(ImageFormat, found: String)
}

extension ImageError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .header(let error): error.description
        case .unsupported(let found):
            "expected a \(ImageFormat.names(ImageFormat.allCases.filter { $0.traits.contains(.isDecoded) })), "
                + "found \(found)"
        case .broken(let format, let found):
            "expected valid \(format) data, found: \(found)"
        }
    }
}
