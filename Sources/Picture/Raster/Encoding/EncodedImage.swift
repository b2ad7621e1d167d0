import Bytes

/// An image as it is sent.
public struct EncodedImage: Sendable, Equatable {
    /// The encoded bytes.
    public let bytes: SharedBytes
    /// What they are.
    public let format: ImageFormat

    /// `bytes` must be an image of `format`; they are not parsed here.
    public init(bytes: SharedBytes, format: ImageFormat) {
        self.bytes = bytes
        self.format = format
    }
}
