/// Finds properties that all pixels of a picture have, such as being opaque or grey. The encoder then leaves out the
/// channels that the picture does not need.
struct PixelTraits {
    let isOpaque: Bool
    /// True if red, green and blue are equal in every pixel.
    let isGray: Bool
    /// The colour of the transparent pixels, if it can represent transparency instead of an alpha channel (PNG
    /// 11.3.1.1). All other pixels must be opaque and must not have this colour. Otherwise it is nil.
    let key: RGBA?

    init(_ pixmap: Pixmap) {
        var every: UInt32 = .max
        var chroma: UInt32 = 0
        var partial: UInt32 = 0
        pixmap.bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            // The loop counts pixels, so that the compiler can vectorize it.
            for index in 0..<bytes.count / 4 {
                let pixel = UInt32(littleEndian: start.loadUnaligned(fromByteOffset: index &* 4, as: UInt32.self))
                every &= pixel
                // Compares red with green and green with blue.
                chroma |= (pixel ^ pixel >> 8) & 0xFFFF
                // Alphas of 0 and 255 become 1 and 256, in which all tested bits are 0. Any other alpha sets a tested
                // bit.
                partial |= (pixel >> 24 &+ 1) & 0xFE
            }
        }
        isOpaque = every >> 24 == 255
        isGray = chroma == 0
        key = isOpaque || partial != 0 ? nil : Self.key(of: pixmap)
    }

    /// Returns the value of the property `key`. The picture must not have partly transparent pixels.
    private static func key(of pixmap: Pixmap) -> RGBA? {
        pixmap.bytes.withUnsafeBytes { bytes in
            let offsets = stride(from: 0, to: bytes.count, by: 4)
            func pixel(_ offset: Int) -> UInt32 {
                UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            }
            guard let first = offsets.first(where: { pixel($0) >> 24 == 0 }) else { return nil }
            let key = pixel(first)
            for offset in offsets {
                let pixel = pixel(offset)
                // All transparent pixels must have the colour, and no opaque pixel may have it.
                if pixel >> 24 == 0 ? pixel != key : pixel & 0xFF_FFFF == key { return nil }
            }
            return RGBA(
                red: UInt8(truncatingIfNeeded: key), green: UInt8(truncatingIfNeeded: key >> 8),
                blue: UInt8(truncatingIfNeeded: key >> 16), alpha: 0)
        }
    }
}
