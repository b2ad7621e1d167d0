import Bytes
import CTurboJPEG

extension ImageCodec {
    static let jpeg = ImageCodec(
        name: "JPEG", mediaType: "image/jpeg", suffixes: ["jpg", "jpeg"], traits: [.isDecoded, .isLossy, .isOpaque],
        recognizes: { $0.starts(with: [0xFF, 0xD8, 0xFF]) },
        header: { reader throws(ImageHeaderError) in try reader.parseJPEG() },
        decode: { bytes, header throws(ImageError) in try decodeJPEG(bytes, header) },
        // A progressive JPEG without chroma subsampling needs three coefficients of two bytes each per pixel. A CMYK
        // one needs four, and the fourth is not counted.
        decodingMemory: 6,
        encode: { pixmap, encoder, _ throws(ImageEncodingError) in
            try encodeJPEG(
                pixmap.flattened(on: encoder.matte), quality: encoder.quality ?? ImageEncoder.usualQuality)
        },
        // The codec stores coefficients and the compressed bytes. From quality 90 on the chroma is not subsampled,
        // which needs more coefficients. A pixmap that is not opaque is first laid on the matte, which needs another 4
        // bytes a pixel.
        encodingMemory: { encoder, _, isOpaque in
            ((encoder.quality ?? ImageEncoder.usualQuality) >= 90 ? 12 : 5) + (isOpaque ? 0 : 4)
        })

    /// The maximum number of scans of a JPEG. Encoders write about ten for a progressive JPEG, in which each scan may
    /// cost a pass over all coefficients.
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

    // Images are written as progressive JPEG, which is about 7% smaller than baseline JPEG.

    /// Encodes `pixmap` with `quality` 1…100 and ignores its alpha. A picture without colours is written as grey. Below
    /// quality 90 the colours have half the resolution. Throws only if memory runs out.
    private static func encodeJPEG(_ pixmap: Pixmap, quality: Int) throws(ImageEncodingError) -> SharedBytes {
        let isGray = PixelTraits(pixmap).isGray
        var size = 0
        let bytes = pixmap.bytes.withUnsafeBufferPointer { pixels in
            cturbojpeg_encode(
                pixels.baseAddress, Int32(pixmap.width), Int32(pixmap.height), Int32(quality), isGray, &size)
        }
        guard let bytes else { throw ImageEncodingError(format: .jpeg, reason: "not enough memory") }
        defer { cturbojpeg_free(bytes) }
        return SharedBytes(UnsafeRawBufferPointer(start: bytes, count: size))
    }
}

extension Pixmap {
    /// Returns an opaque picture, because JPEG has no transparency. The pixmap is drawn over the colour `matte`. If
    /// `matte` itself is transparent, white is below it. An opaque pixmap is returned without a copy.
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
