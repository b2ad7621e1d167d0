import Bytes

/// A format of images: its names, and how it is recognized, read and written. Each format has its value in a file of
/// its own folder.
struct ImageCodec: Sendable {
    /// As messages call it.
    let name: String
    /// As IANA registers it, in lower case.
    let mediaType: StaticString
    /// Of paths, without the dot, at most seven bytes each. The server's own paths have the first.
    let suffixes: [String]
    let traits: ImageTraits
    /// Whether an image begins as one of this format.
    let recognizes: @Sendable (ByteReader) -> Bool
    /// The header of an image that was recognized, once its structure has been found sound.
    let header: @Sendable (ByteReader) throws(ImageHeaderError) -> ImageHeader
    /// The pixels of an image with such a header.
    let decode: @Sendable (UnsafeRawBufferPointer, ImageHeader) throws(ImageError) -> Pixmap
    /// Bytes a pixel that `decode` takes beside the pixels.
    let decodingMemory: Int
    /// Pixels written as the encoder's options say. Asks the closure now and then whether an image is still wanted.
    let encode: @Sendable (Pixmap, ImageEncoder, @escaping () -> Bool) throws(ImageEncodingError) -> SharedBytes
    /// Bytes a pixel that `encode` takes at most beside the pixels, for an image of so many pixels, which is known to be opaque or
    /// not.
    let encodingMemory: @Sendable (ImageEncoder, _ pixels: Int, _ isOpaque: Bool) -> Int
}
