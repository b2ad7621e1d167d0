import CWebP
import Glibc

/// Reads WebP, for `ImageDecoder`.
enum WebPDecoder {
    /// The pixels of `bytes`; of an animation those of the first frame, on a canvas that is transparent beside it: what a still
    /// viewer shows (RFC 9649 2.7.1.1).
    static func decode(_ bytes: UnsafeRawBufferPointer, _ header: ImageHeader) throws(ImageError) -> Pixmap {
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
            // What the frame does not cover has no pixels of its own.
            if frame != nil { memset(pixels, 0, stride * header.height) }
            let data = UnsafeRawBufferPointer(rebasing: bytes[picture.data])
            result = cwebp_decode(
                data.assumingMemoryBound(to: UInt8.self).baseAddress, data.count, Int32(picture.width),
                Int32(picture.height), stride, pixels + picture.y * stride + picture.x * 4)
            return result == CWEBP_DECODED
        }
        if let decoded { return decoded }
        switch result {
        case CWEBP_ANIMATED: throw .broken(.webp, found: "an animation without frames in front")
        case CWEBP_OTHER_SIZE: throw .broken(.webp, found: "another size than its header said")
        case CWEBP_CUT_OFF: throw .broken(.webp, found: "data that are cut off")
        case CWEBP_NO_MEMORY: throw .broken(.webp, found: "too little memory")
        default: throw .broken(.webp, found: "data that contradict the format")
        }
    }
}
