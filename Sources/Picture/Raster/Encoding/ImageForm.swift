/// What pixels are to become: a format, or the one that suits them.
public enum ImageForm: UInt8, Sendable, CaseIterable {
    /// Lossless, with transparency.
    case png
    /// Opaque.
    case jpeg
    /// Lossless, unless a quality is set.
    case webp
    /// What suits the picture for whom every browser and every client can read: JPEG for an opaque photograph, else PNG.
    case auto
    /// The same for those who read WebP too: JPEG or WebP for an opaque photograph, else PNG or lossless WebP; of two that
    /// suit, the one of fewer bytes.
    case autoWebP
}
