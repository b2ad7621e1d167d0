/// The image formats that can be a tile.
public enum ImageFormat: UInt8, Sendable, CaseIterable {
    case png, jpeg, webp, gif
}
