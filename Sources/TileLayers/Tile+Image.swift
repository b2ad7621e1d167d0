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
