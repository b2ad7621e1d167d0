extension ImageCodec {
    static let webp = ImageCodec(
        name: "WebP", mediaType: "image/webp", suffixes: ["webp"], traits: [.isDecoded, .isLossy],
        recognizes: { $0.starts(with: Array("RIFF".utf8)) && $0.starts(with: Array("WEBP".utf8), at: 8) },
        header: { reader throws(ImageHeaderError) in try reader.parseWebP() },
        decode: { bytes, header throws(ImageError) in try WebPDecoder.decode(bytes, header) },
        // Lossless WebP keeps the colours of the whole image before they are put together.
        decodingMemory: 5,
        encode: { pixmap, encoder, isWanted throws(ImageEncodingError) in
            try WebPEncoder.encode(
                pixmap, quality: encoder.quality, isLean: encoder.isLean(pixmap.width * pixmap.height),
                isWanted: isWanted)
        },
        encodingMemory: { encoder, pixels, isOpaque in
            // A codec's tables weigh more in a small image.
            let isSmall = pixels < 512 * 512
            // Alpha is lossless.
            guard encoder.quality == nil else { return isOpaque ? 8 : isSmall ? 41 : 35 }
            return !encoder.isLean(pixels) ? ImageEncoder.lossless : isSmall ? 37 : 25
        })
}

extension ImageEncoder {
    /// Bytes a pixel of lossless WebP that is not written with the least work.
    fileprivate static let lossless = 46
    /// Images of more pixels are always written with the least work, for their memory.
    private static let largePixels = 1 << 20

    fileprivate func isLean(_ pixels: Int) -> Bool {
        pixels > Self.largePixels || pixels * (4 + Self.lossless) > mostMemory
    }
}
