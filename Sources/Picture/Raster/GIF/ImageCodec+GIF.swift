extension ImageCodec {
    static let gif = ImageCodec(
        name: "GIF", mediaType: "image/gif", suffixes: ["gif"], traits: [],
        recognizes: { $0.starts(with: Array("GIF87a".utf8)) || $0.starts(with: Array("GIF89a".utf8)) },
        header: { reader throws(ImageHeaderError) in try reader.parseGIF() },
        decode: { _, _ throws(ImageError) in throw .unsupported("a GIF") }, decodingMemory: 0,
        encode: { _, _, _ throws(ImageEncodingError) in throw ImageEncodingError(format: .gif, reason: "never written")
        },
        encodingMemory: { _, _, _ in 0 })
}

extension ByteReader {
    /// Parses the logical screen's size, which is little-endian behind the signature (GIF 89a, 18). The image must end
    /// with the trailer (GIF 89a, 27), and zero bytes may follow.
    fileprivate func parseGIF() throws(ImageHeaderError) -> ImageHeader {
        let header = try header(
            .gif, width: littleEndian16(at: 6), height: littleEndian16(at: 8), isDeclaredOpaque: false)
        guard bytes.count > 13, bytes.last(where: { $0 != 0 }) == 0x3B else {
            throw .truncated(expected: max(14, bytes.count + 1), found: bytes.count)
        }
        return header
    }
}
