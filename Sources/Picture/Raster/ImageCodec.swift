import Bytes

/// An image format: its names, and the functions that recognize, parse, decode and encode it. Each format defines its
/// codec in a file of its own folder.
struct ImageCodec: Sendable {
    /// The name of the format in messages.
    let name: String
    /// The media type as registered with IANA, in lower case.
    let mediaType: StaticString
    /// The suffixes of URL paths, without the dot, at most seven bytes each. The server's own paths use the first
    /// suffix.
    let suffixes: [String]
    let traits: ImageTraits
    /// Reports whether an image begins with the magic bytes of this format.
    let recognizes: @Sendable (ByteReader) -> Bool
    /// Parses the header of a recognized image. Throws if the structure of the image is not valid.
    let header: @Sendable (ByteReader) throws(ImageHeaderError) -> ImageHeader
    /// Decodes the pixels of an image with the given header.
    let decode: @Sendable (UnsafeRawBufferPointer, ImageHeader) throws(ImageError) -> Pixmap
    /// Memory in bytes per pixel that `decode` needs in addition to the pixels.
    let decodingMemory: Int
    /// Encodes pixels with the encoder's options. A codec may call the closure repeatedly and stop if it returns false.
    let encode: @Sendable (Pixmap, ImageEncoder, @escaping () -> Bool) throws(ImageEncodingError) -> SharedBytes
    /// Maximum memory in bytes per pixel that `encode` needs in addition to the pixels. The arguments are the encoder,
    /// the number of pixels, and true if the image is known to be opaque.
    let encodingMemory: @Sendable (ImageEncoder, _ pixels: Int, _ isOpaque: Bool) -> Int
}
