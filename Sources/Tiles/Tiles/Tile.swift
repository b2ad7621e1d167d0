import Bytes
import Raster

/// One encoded tile image, as it is stored and sent.
public struct Tile: Sendable {
    /// The encoded image.
    public let bytes: SharedBytes
    /// What `bytes` are, judged by their magic bytes.
    public let format: ImageFormat
    /// Pixels across.
    public let width: Int
    /// Pixels down.
    public let height: Int
    /// When the source last changed, in seconds since 1970-01-01 UTC, where the source says so.
    public let lastModified: Int?
    /// How the tile was made of others; nil where it is as its source has it.
    public let derivation: Derivation?

    /// What a client should know of how a tile was made of others.
    public struct Derivation: Sendable, Hashable {
        /// How many of its pixels a side one pixel of the source became, above 1; nil where none grew.
        public var upscaled: Double?
        /// The zoom of the tile that it was cut out of; nil where it is of its own zoom.
        public var sourceZoom: Int?
        /// The ids of layers that should be part of it and could not be had.
        public var missing: [String]

        /// Nothing to know, unless told otherwise.
        public init(upscaled: Double? = nil, sourceZoom: Int? = nil, missing: [String] = []) {
            self.upscaled = upscaled
            self.sourceZoom = sourceZoom
            self.missing = missing
        }
    }

    /// A tile of `bytes`, which are not parsed here: see `init(image:)` for bytes that were not checked.
    public init(
        bytes: SharedBytes, format: ImageFormat, width: Int, height: Int, lastModified: Int? = nil,
        derivation: Derivation? = nil
    ) {
        self.bytes = bytes
        self.format = format
        self.width = width
        self.height = height
        self.lastModified = lastModified
        self.derivation = derivation
    }

    /// An image that is encoded already, sent as it is: PNG, JPEG, WebP or GIF, at most 2,048 pixels a side. What it is, its
    /// own bytes say. Costs a copy and a walk over its parts; nothing is decoded.
    public init(image bytes: some Collection<UInt8>) throws(ImageHeaderError) {
        let bytes = SharedBytes(bytes)
        let header = try ImageHeader(parsing: bytes)
        self.init(bytes: bytes, format: header.format, width: header.width, height: header.height)
    }

    /// `pixmap` as a PNG tile; `derivation` as the tile's own. Blocks while it computes; fails only when memory runs
    /// out.
    public init(
        encoding pixmap: Pixmap, options: PNGOptions = .standard, derivation: Derivation? = nil
    ) throws(PNGError) {
        try self.init(encoding: pixmap, options: options, derivation: derivation) { true }
    }

    /// The same, for who may leave before it is done: `isWanted` is asked before each row that is compressed, and a no ends it
    /// with an error.
    package init(
        encoding pixmap: Pixmap, options: PNGOptions, derivation: Derivation?, isWanted: @escaping () -> Bool
    ) throws(PNGError) {
        let bytes = try PNGEncoder.encode(pixmap, options: options, isWanted: isWanted)
        self.init(
            bytes: bytes, format: .png, width: pixmap.width, height: pixmap.height, derivation: derivation)
    }
}

extension Tile {
    /// `image`, which has this size.
    package init(_ image: EncodedImage, width: Int, height: Int, derivation: Derivation? = nil) {
        self.init(bytes: image.bytes, format: image.format, width: width, height: height, derivation: derivation)
    }
}

extension TileResult {
    /// A tile with these pixels, as PNG. Computes, about a millisecond for 256 × 256; unavailable where there is no memory.
    public static func image(_ pixmap: Pixmap) -> TileResult {
        do {
            return .tile(try Tile(encoding: pixmap))
        } catch {
            return .unavailable(.failed)
        }
    }
}
