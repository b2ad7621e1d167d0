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

    public init(bytes: SharedBytes, format: ImageFormat, width: Int, height: Int, lastModified: Int? = nil) {
        self.bytes = bytes
        self.format = format
        self.width = width
        self.height = height
        self.lastModified = lastModified
    }
}
