import Bytes
import Raster

extension Tile {
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
