/// What all pixels of a picture have in common, so that less of each need be written.
struct PixelTraits {
    let isOpaque: Bool
    /// Whether red, green and blue are equal everywhere.
    let isGray: Bool
    /// The colour of the transparent pixels, if all others are opaque and none of them has it. It can stand for
    /// transparency in place of an alpha channel (PNG 11.3.1.1).
    let key: RGBA?

    init(_ pixmap: Pixmap) {
        var every: UInt32 = .max
        var chroma: UInt32 = 0
        var partial: UInt32 = 0
        pixmap.bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            // Counted by pixels, so that the compiler takes several of them at once.
            for index in 0..<bytes.count / 4 {
                let pixel = UInt32(littleEndian: start.loadUnaligned(fromByteOffset: index &* 4, as: UInt32.self))
                every &= pixel
                // Red against green, green against blue.
                chroma |= (pixel ^ pixel >> 8) & 0xFFFF
                // 0 and 255 become 1 and 256: no other alpha has all of these bits clear.
                partial |= (pixel >> 24 &+ 1) & 0xFE
            }
        }
        isOpaque = every >> 24 == 255
        isGray = chroma == 0
        key = isOpaque || partial != 0 ? nil : Self.key(of: pixmap)
    }

    /// As `key` says, of a picture whose alphas are all 0 or 255.
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
                // Transparent pixels must have the colour, opaque ones must not.
                if pixel >> 24 == 0 ? pixel != key : pixel & 0xFF_FFFF == key { return nil }
            }
            return RGBA(
                red: UInt8(truncatingIfNeeded: key), green: UInt8(truncatingIfNeeded: key >> 8),
                blue: UInt8(truncatingIfNeeded: key >> 16), alpha: 0)
        }
    }
}
