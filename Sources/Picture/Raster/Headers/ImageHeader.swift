import Bytes

/// The format and the size of an image. They are read from the bytes of the image, and a Content-Type is never trusted.
/// No pixel is decoded.
package struct ImageHeader: Hashable, Sendable {
    /// The format, determined by the magic bytes.
    package let format: ImageFormat
    /// The width in pixels, at least 1.
    package let width: Int
    /// The height in pixels, at least 1.
    package let height: Int
    /// True if the bytes declare that no pixel is transparent. This holds for a JPEG, a WebP without alpha, and a PNG
    /// of grey, RGB or palette without tRNS. If the value is false, the pixels may be opaque anyway.
    ///
    /// Only a lossless WebP may declare no transparency and still have transparent pixels: its flag is a hint (RFC 9649
    /// 3.4).
    package internal(set) var isDeclaredOpaque: Bool

    /// Parses the header of the complete image in `bytes`. Throws if the format is unknown, or if the image is
    /// truncated or malformed, or has more than `maxSide` pixels a side. `maxSide` is at most 16,384, the limit of a
    /// `Pixmap`.
    ///
    /// The cost is a walk over the chunks and, for PNG, one CRC-32 over all bytes. Nothing is inflated.
    package init(
        parsing bytes: UnsafeRawBufferPointer, maxSide: Int = ImageDecoder.maxSide
    ) throws(ImageHeaderError) {
        let reader = ByteReader(bytes, maxSide: min(maxSide, Pixmap.maxSide))
        guard let format = ImageFormat.allCases.first(where: { $0.codec.recognizes(reader) }) else {
            throw .unknownFormat(Array(bytes.prefix(8)))
        }
        self = try format.codec.header(reader)
    }

    /// Parses the header like `init(parsing:)` for raw bytes. Keeps `bytes` alive during the call.
    package init(parsing bytes: SharedBytes) throws(ImageHeaderError) {
        defer { withExtendedLifetime(bytes) {} }
        try self.init(parsing: bytes.buffer)
    }

    /// Creates a header. Throws if a side is 0 or exceeds the limit.
    init(
        _ format: ImageFormat, width: Int, height: Int, isDeclaredOpaque: Bool, maxSide: Int = ImageDecoder.maxSide
    ) throws(ImageHeaderError) {
        guard width >= 1, height >= 1, max(width, height) <= maxSide else {
            throw .dimensions(width: width, height: height, limit: maxSide)
        }
        self.format = format
        self.width = width
        self.height = height
        self.isDeclaredOpaque = isDeclaredOpaque
    }
}
