import Bytes

/// What the bytes of an upstream say they are: judged by their magic bytes and structure, never by a Content-Type, and
/// without decoding a pixel.
public struct ImageHeader: Hashable, Sendable {
    /// By the magic bytes.
    public let format: ImageFormat
    /// Pixels across, at least 1.
    public let width: Int
    /// Pixels down, at least 1.
    public let height: Int
    /// Whether no pixel is transparent by what the bytes declare: a JPEG, a WebP without alpha, a PNG of grey, colours or
    /// a palette without tRNS. Where it is false, the pixels may be opaque all the same.
    ///
    /// Only a lossless WebP can declare none and have some: its flag is a hint (RFC 9649 3.4).
    public internal(set) var isDeclaredOpaque: Bool

    /// The most pixels a side where nothing else is said; with both sides at it, the 4,194,304 pixels of docs/spec/threats.md 2.
    public static let maxSide = 2048

    /// Reads the header in `bytes`, the whole image, and refuses what is cut off or malformed, or has more than
    /// `maxSide` pixels a side; `maxSide` is at most 16,384, the limit of a `Pixmap`.
    ///
    /// Costs a walk over the chunks and, for PNG, one CRC-32 over all bytes; nothing is inflated.
    public init(
        parsing bytes: UnsafeRawBufferPointer, maxSide: Int = ImageHeader.maxSide
    ) throws(ImageHeaderError) {
        let reader = ByteReader(bytes, maxSide: min(maxSide, Pixmap.maxSide))
        guard let format = ImageFormat.allCases.first(where: { $0.codec.recognizes(reader) }) else {
            throw .unknownFormat(Array(bytes.prefix(8)))
        }
        self = try format.codec.header(reader)
    }

    /// As `init(parsing:)` of raw bytes, keeping `bytes` alive meanwhile.
    public init(parsing bytes: SharedBytes) throws(ImageHeaderError) {
        defer { withExtendedLifetime(bytes) {} }
        try self.init(parsing: bytes.buffer)
    }

    /// A header whose size is within the limit.
    init(
        _ format: ImageFormat, width: Int, height: Int, isDeclaredOpaque: Bool, maxSide: Int = ImageHeader.maxSide
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
