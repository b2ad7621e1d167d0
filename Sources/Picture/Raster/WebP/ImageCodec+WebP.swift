import Bytes
import CWebP
import Glibc

extension ImageCodec {
    static let webp = ImageCodec(
        name: "WebP", mediaType: "image/webp", suffixes: ["webp"], traits: [.isDecoded, .isLossy],
        recognizes: { $0.starts(with: Array("RIFF".utf8)) && $0.starts(with: Array("WEBP".utf8), at: 8) },
        header: { reader throws(ImageHeaderError) in try reader.parseWebP() },
        decode: { bytes, header throws(ImageError) in try decodeWebP(bytes, header) },
        // The decoder of lossless WebP stores the colours of the whole image before it converts them to pixels.
        decodingMemory: 5,
        encode: { pixmap, encoder, isWanted throws(ImageEncodingError) in
            try encodeWebP(
                pixmap, quality: encoder.quality, isLean: encoder.isLean(pixmap.width * pixmap.height),
                isWanted: isWanted)
        },
        encodingMemory: { encoder, pixels, isOpaque in
            // The codec's tables need more memory per pixel in a small image.
            let isSmall = pixels < 512 * 512
            // The alpha channel is always lossless, which needs more memory.
            guard encoder.quality == nil else { return isOpaque ? 8 : isSmall ? 41 : 35 }
            return !encoder.isLean(pixels) ? ImageEncoder.lossless : isSmall ? 37 : 25
        })

    /// Decodes the pixels of a WebP. For an animation, only the first frame is decoded, as in a viewer without
    /// animations. The area around this frame is transparent (RFC 9649 2.7.1.1).
    private static func decodeWebP(_ bytes: UnsafeRawBufferPointer, _ header: ImageHeader) throws(ImageError) -> Pixmap
    {
        let frame: WebPFrame?
        do {
            frame = try ByteReader(bytes, maxSide: Pixmap.maxSide).firstWebPFrame()
        } catch {
            throw .header(error)
        }
        let picture = frame ?? WebPFrame(x: 0, y: 0, width: header.width, height: header.height, data: 0..<bytes.count)
        guard picture.x + picture.width <= header.width, picture.y + picture.height <= header.height else {
            throw .broken(.webp, found: "a frame that reaches beyond its canvas")
        }
        var result = CWEBP_BROKEN
        let decoded = Pixmap(width: header.width, height: header.height) { pixels in
            guard let pixels else { return false }
            let stride = header.width * 4
            // Clears the part of the canvas that the frame does not cover.
            if frame != nil { memset(pixels, 0, stride * header.height) }
            let data = UnsafeRawBufferPointer(rebasing: bytes[picture.data])
            result = cwebp_decode(
                data.assumingMemoryBound(to: UInt8.self).baseAddress, data.count, Int32(picture.width),
                Int32(picture.height), stride, pixels + picture.y * stride + picture.x * 4)
            return result == CWEBP_DECODED
        }
        if let decoded { return decoded }
        switch result {
        case CWEBP_ANIMATED: throw .broken(.webp, found: "an animation that does not begin with a frame")
        case CWEBP_OTHER_SIZE: throw .broken(.webp, found: "a size that differs from the header")
        case CWEBP_CUT_OFF: throw .broken(.webp, found: "truncated data")
        case CWEBP_NO_MEMORY: throw .broken(.webp, found: "not enough memory")
        default: throw .broken(.webp, found: "data that violate the format")
        }
    }

    /// Encodes `pixmap` as WebP. `quality` is in 1…100. If it is nil, the encoding is lossless, but the colour of
    /// transparent pixels may change. If `isLean` is true, lossless WebP is written with the least work and memory.
    /// Calls `isWanted` repeatedly. Throws if it returns false, if memory runs out, or if a side has 16,384 pixels.
    private static func encodeWebP(
        _ pixmap: Pixmap, quality: Int?, isLean: Bool, isWanted: @escaping () -> Bool
    ) throws(ImageEncodingError) -> SharedBytes {
        var picture = cwebp_picture()
        picture.width = Int32(pixmap.width)
        picture.height = Int32(pixmap.height)
        picture.has_alpha = !pixmap.isOpaque
        picture.quality = Int32(quality ?? -1)
        picture.is_lean = isLean
        picture.is_wanted = { $0?.assumingMemoryBound(to: Question.self).pointee.isWanted() ?? true }
        var question = Question(isWanted: isWanted)
        var size = 0
        let bytes = withUnsafeMutablePointer(to: &question) { question in
            picture.context = UnsafeMutableRawPointer(question)
            return pixmap.bytes.withUnsafeBufferPointer { cwebp_encode(&picture, $0.baseAddress, &size) }
        }
        guard let bytes else {
            throw isWanted() ? ImageEncodingError(format: .webp, reason: "not enough memory") : .unwanted
        }
        defer { cwebp_free(bytes) }
        return SharedBytes(UnsafeRawBufferPointer(start: bytes, count: size))
    }

    /// A closure that C code receives as a pointer.
    private struct Question {
        let isWanted: () -> Bool
    }
}

extension ImageEncoder {
    /// Memory in bytes per pixel for lossless WebP, unless it is written with the least work.
    fileprivate static let lossless = 46
    /// The number of pixels beyond which lossless images are always written with the least work, to save memory.
    private static let largePixels = 1 << 20

    fileprivate func isLean(_ pixels: Int) -> Bool {
        pixels > Self.largePixels || pixels * (4 + Self.lossless) > mostMemory
    }
}
