import Bytes
import Raster

/// A tile as an encoded image, for example a PNG file. The image is stored and sent in this form.
public struct Tile: Sendable {
    /// The encoded image.
    public let bytes: SharedBytes
    /// The format of `bytes`.
    public let format: ImageFormat
    /// Width in pixels.
    public let width: Int
    /// Height in pixels.
    public let height: Int
    /// Time of the source's last change, in seconds since 1970-01-01 UTC. Nil if the source does not say.
    public let lastModified: Int?
    /// Facts about a tile that was enlarged or made from other tiles. Nil if there are none.
    public let derivation: Derivation?

    /// Describes how a tile was enlarged or made from other tiles. Clients get these facts in header fields.
    public struct Derivation: Sendable, Hashable {
        /// Factor by which the source's pixels were enlarged, more than 1. Nil if they were not.
        public var upscaled: Double?
        /// The zoom of the tile that this tile was cut out of. Nil if it was not cut out of another zoom.
        public var sourceZoom: Int?
        /// Ids of layers that should be part of the tile but were unavailable.
        public var missing: [String]

        /// Makes the facts. The defaults mean that there is nothing to report.
        public init(upscaled: Double? = nil, sourceZoom: Int? = nil, missing: [String] = []) {
            self.upscaled = upscaled
            self.sourceZoom = sourceZoom
            self.missing = missing
        }
    }

    /// Makes a tile of `bytes` without parsing them. For unchecked bytes use `init(image:)`.
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

    /// Makes a tile of an encoded image: PNG, JPEG, WebP or GIF, at most 2,048 pixels a side. The format and size are
    /// read from the bytes. Copies the bytes and checks their structure, but does not decode them.
    public init(image bytes: some Collection<UInt8>) throws(ImageHeaderError) {
        let bytes = SharedBytes(bytes)
        let header = try ImageHeader(parsing: bytes)
        self.init(bytes: bytes, format: header.format, width: header.width, height: header.height)
    }

    /// Encodes `pixmap` as a PNG tile with `derivation`. Blocks while it computes. Throws only if memory runs out.
    public init(
        encoding pixmap: Pixmap, options: PNGOptions = .standard, derivation: Derivation? = nil
    ) throws(PNGError) {
        try self.init(encoding: pixmap, options: options, derivation: derivation) { true }
    }

    /// Encodes `pixmap` for a client that may leave early. Calls `isWanted` before each row is compressed, and throws
    /// if it returns false.
    package init(
        encoding pixmap: Pixmap, options: PNGOptions, derivation: Derivation?, isWanted: @escaping () -> Bool
    ) throws(PNGError) {
        let bytes = try PNGEncoder.encode(pixmap, options: options, isWanted: isWanted)
        self.init(
            bytes: bytes, format: .png, width: pixmap.width, height: pixmap.height, derivation: derivation)
    }
}

extension Tile {
    /// Makes a tile of `image`, which has this width and height.
    package init(_ image: EncodedImage, width: Int, height: Int, derivation: Derivation? = nil) {
        self.init(bytes: image.bytes, format: image.format, width: width, height: height, derivation: derivation)
    }
}

extension TileResult {
    /// Returns a PNG tile with these pixels. The encoding takes about a millisecond for 256 × 256 pixels. Returns an
    /// unavailable result if memory runs out.
    public static func image(_ pixmap: Pixmap) -> TileResult {
        do {
            return .tile(try Tile(encoding: pixmap))
        } catch {
            return .unavailable(.failed)
        }
    }
}
