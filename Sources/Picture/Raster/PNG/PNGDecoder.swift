import CLibPNG

/// Reads PNG of any kind, for `ImageDecoder`.
enum PNGDecoder {
    /// The pixels of `bytes`, whose chunks were found sound when `header` was made.
    static func decode(_ bytes: UnsafeRawBufferPointer, _ header: ImageHeader) throws(PNGError) -> Pixmap {
        var result = clibpng_result()
        let decoded = Pixmap(width: header.width, height: header.height) { pixels in
            clibpng_decode(
                bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count, UInt32(header.width),
                UInt32(header.height), pixels, &result)
        }
        guard let decoded else { throw PNGError(reason: result.text) }
        return decoded
    }
}

extension clibpng_result {
    /// `message` as text.
    var text: String {
        withUnsafeBytes(of: message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
