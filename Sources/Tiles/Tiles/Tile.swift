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
}
