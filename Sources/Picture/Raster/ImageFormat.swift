/// The image formats that can be a tile.
public enum ImageFormat: UInt8, Sendable, CaseIterable {
    /// Portable Network Graphics.
    case png
    /// JPEG.
    case jpeg
    /// WebP.
    case webp
    /// GIF: sent as it is, never made into pixels.
    case gif
}
