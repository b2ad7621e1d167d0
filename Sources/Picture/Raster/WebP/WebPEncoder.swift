import Bytes
import CWebP

/// Writes pixels as WebP.
///
/// Thread rule: any thread; blocks while it computes.
enum WebPEncoder {
    /// Writes `pixmap`, lossless but for the colour of transparent pixels, or in `quality` 1…100 if that is not nil.
    /// `isLean`: lossless WebP is written with the least work, in half the memory. Calls `isWanted` now and then: false ends
    /// the work with an error. Fails otherwise only when memory runs out.
    static func encode(
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
            throw isWanted() ? ImageEncodingError(format: .webp, reason: "too little memory") : .unwanted
        }
        defer { cwebp_free(bytes) }
        return SharedBytes(UnsafeRawBufferPointer(start: bytes, count: size))
    }

    /// A closure where C finds it.
    private struct Question {
        let isWanted: () -> Bool
    }
}
