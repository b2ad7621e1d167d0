import Bytes
import CTurboJPEG

/// Writes pixels as progressive JPEG, whose bytes are a fifteenth fewer than those of one with its rows in order.
///
/// Thread rule: any thread; blocks while it computes.
enum JPEGEncoder {
    /// `pixmap`, whose alpha does not count, in `quality` 1…100: a picture without colours as grey, another with colours at half
    /// its resolution where `quality` is below 90. Fails only when memory runs out.
    static func encode(_ pixmap: Pixmap, quality: Int) throws(ImageEncodingError) -> SharedBytes {
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
