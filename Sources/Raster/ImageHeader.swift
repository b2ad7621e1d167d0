import Bytes

/// What the bytes of an upstream say they are: judged by their magic bytes and structure, never by a Content-Type, and
/// without decoding a pixel.
public struct ImageHeader: Hashable, Sendable {
    /// By the magic bytes.
    public let format: ImageFormat
    /// Pixels across, 1…2048.
    public let width: Int
    /// Pixels down, 1…2048.
    public let height: Int

    /// The most pixels a side; with both sides at it, the 4,194,304 pixels of threats.md 2.
    public static let maxSide = 2048

    /// Reads the header in `bytes`, the whole image, and refuses what is cut off or malformed.
    ///
    /// Costs a walk over the chunks and, for PNG, one CRC-32 over all bytes; nothing is inflated.
    public init(parsing bytes: UnsafeRawBufferPointer) throws(ImageHeaderError) {
        let reader = ByteReader(bytes)
        switch try reader.format() {
        case .png: self = try PNGHeaderParser(reader).parse()
        case .jpeg: self = try reader.parseJPEG()
        case .webp: self = try reader.parseWebP()
        case .gif: self = try reader.parseGIF()
        }
    }

    /// As `init(parsing:)` of raw bytes, keeping `bytes` alive meanwhile.
    public init(parsing bytes: SharedBytes) throws(ImageHeaderError) {
        defer { withExtendedLifetime(bytes) {} }
        try self.init(parsing: bytes.buffer)
    }

    /// A header whose size is within the limits.
    init(_ format: ImageFormat, width: Int, height: Int) throws(ImageHeaderError) {
        guard (1...Self.maxSide).contains(width), (1...Self.maxSide).contains(height) else {
            throw .dimensions(width: width, height: height)
        }
        self.format = format
        self.width = width
        self.height = height
    }
}

extension ByteReader {
    fileprivate func format() throws(ImageHeaderError) -> ImageFormat {
        if starts(with: PNGHeaderParser.signature) { return .png }
        if starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
        if starts(with: Array("RIFF".utf8)), starts(with: Array("WEBP".utf8), at: 8) { return .webp }
        if starts(with: Array("GIF87a".utf8)) || starts(with: Array("GIF89a".utf8)) { return .gif }
        throw .unknownFormat(Array(bytes.prefix(8)))
    }

    /// GIF 89a, 18: the logical screen's size, little-endian, behind the signature; 27: the trailer ends the stream.
    fileprivate func parseGIF() throws(ImageHeaderError) -> ImageHeader {
        let header = try ImageHeader(.gif, width: littleEndian16(at: 6), height: littleEndian16(at: 8))
        guard bytes.count > 13, bytes.last(where: { $0 != 0 }) == 0x3B else {
            throw .truncated(expected: max(14, bytes.count + 1), found: bytes.count)
        }
        return header
    }
}
