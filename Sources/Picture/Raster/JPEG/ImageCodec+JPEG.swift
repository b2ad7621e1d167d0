import Bytes
import CTurboJPEG

extension ImageCodec {
    static let jpeg = ImageCodec(
        name: "JPEG", mediaType: "image/jpeg", suffixes: ["jpg", "jpeg"], traits: [.isDecoded, .isLossy, .isOpaque],
        recognizes: { $0.starts(with: [0xFF, 0xD8, 0xFF]) },
        header: { reader throws(ImageHeaderError) in try reader.parseJPEG() },
        decode: { bytes, header throws(ImageError) in try decodeJPEG(bytes, header) },
        // A progressive JPEG keeps three coefficients a pixel, of two bytes each, if its colours are not subsampled.
        decodingMemory: 6,
        encode: { pixmap, encoder, _ throws(ImageEncodingError) in
            try encodeJPEG(
                pixmap.flattened(on: encoder.matte), quality: encoder.quality ?? ImageEncoder.usualQuality)
        },
        // Coefficients, of colours at every pixel from quality 90 on, and what these are compressed to; before that what lies under
        // translucent pixels, and both together.
        encodingMemory: { encoder, _, isOpaque in
            ((encoder.quality ?? ImageEncoder.usualQuality) >= 90 ? 12 : 5) + (isOpaque ? 0 : 4)
        })

    /// The most scans of a progressive JPEG. Encoders write about ten; each costs a pass over all coefficients.
    private static let maxScans = 64

    private static func decodeJPEG(
        _ bytes: UnsafeRawBufferPointer, _ header: ImageHeader
    ) throws(ImageError) -> Pixmap {
        guard ByteReader(bytes).countJPEGScans(upTo: maxScans + 1) <= maxScans else {
            throw .unsupported("a JPEG with more than \(maxScans) scans")
        }
        var message = [CChar](repeating: 0, count: Int(CTURBOJPEG_MESSAGE_SIZE))
        var result = CTURBOJPEG_BROKEN
        let decoded = Pixmap(width: header.width, height: header.height) { pixels in
            result = cturbojpeg_decode(
                bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count, Int32(header.width),
                Int32(header.height), pixels, &message)
            return result == CTURBOJPEG_DECODED
        }
        if let decoded { return decoded }
        let reason = String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        throw .broken(.jpeg, found: reason)
    }

    // Progressive JPEG has a fifteenth fewer bytes than one with its rows in order.

    /// `pixmap`, whose alpha does not count, in `quality` 1…100: a picture without colours as grey, another with colours at half
    /// its resolution where `quality` is below 90. Fails only when memory runs out.
    private static func encodeJPEG(_ pixmap: Pixmap, quality: Int) throws(ImageEncodingError) -> SharedBytes {
        let isGray = PixelTraits(pixmap).isGray
        var size = 0
        let bytes = pixmap.bytes.withUnsafeBufferPointer { pixels in
            cturbojpeg_encode(
                pixels.baseAddress, Int32(pixmap.width), Int32(pixmap.height), Int32(quality), isGray, &size)
        }
        guard let bytes else { throw ImageEncodingError(format: .jpeg, reason: "too little memory") }
        defer { cturbojpeg_free(bytes) }
        return SharedBytes(UnsafeRawBufferPointer(start: bytes, count: size))
    }
}

extension Pixmap {
    /// Laid on `matte`, and that on white; itself, without cost, where it is opaque.
    fileprivate func flattened(on matte: RGBA) -> Pixmap {
        guard !isOpaque else { return self }
        var ground = Compositor(width: 1, height: 1)
        ground.add(Pixmap(width: 1, height: 1, color: .white))
        ground.add(Pixmap(width: 1, height: 1, color: matte))
        let color = ground.composed().bytes
        var compositor = Compositor(width: width, height: height)
        compositor.add(
            Pixmap(width: width, height: height, color: RGBA(red: color[0], green: color[1], blue: color[2])))
        compositor.add(self)
        return compositor.composed()
    }
}
