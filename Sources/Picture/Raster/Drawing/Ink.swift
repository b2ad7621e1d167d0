/// A colour that is prepared for drawing shapes. Pixels at the edge of a shape are covered partly, so an alpha is
/// stored for each level of coverage.
struct Ink {
    private let color: RGBA
    private let alphas: [Int]
    private let isOpaque: Bool

    init(_ color: RGBA) {
        self.color = color
        let full = Int(Coverage.full)
        alphas = (0...full).map { ($0 * Int(color.alpha) + full / 2) / full }
        isOpaque = color.alpha == 255
    }

    /// Draws the colour over consecutive pixels that all have the coverage `level`.
    func blend(_ level: UInt8, onto pixels: UnsafeMutableBufferPointer<RGBA>) {
        let alpha = alphas[Int(level)]
        guard alpha != 0 else { return }
        if alpha == 255 { return pixels.update(repeating: color) }
        let bytes = UnsafeMutableRawBufferPointer(pixels)
        // The alpha lane uses 255 instead of the colour's own alpha, so that an opaque pixel stays opaque.
        let ink = SIMD4<UInt16>(UInt16(color.red), UInt16(color.green), UInt16(color.blue), 255)
        let source = ink &* UInt16(alpha) &+ 127
        let two = SIMD8(lowHalf: source, highHalf: source)
        let four = SIMD16(lowHalf: two, highHalf: two)
        let rest = UInt16(255 - alpha)
        var index = 0
        while index + 4 <= pixels.count {
            let old = bytes.loadUnaligned(fromByteOffset: index * 4, as: SIMD16<UInt8>.self)
            guard old[3] & old[7] & old[11] & old[15] == 255 else {
                for pixel in index..<index + 4 { blend(level, onto: &pixels[pixel]) }
                index += 4
                continue
            }
            let sum = SIMD16<UInt16>(truncatingIfNeeded: old) &* rest &+ four
            // Divides numbers below 65,535 by 255, rounding down.
            let mixed = SIMD16<UInt8>(truncatingIfNeeded: (sum &+ 1 &+ (sum &>> 8)) &>> 8)
            bytes.storeBytes(of: mixed, toByteOffset: index * 4, as: SIMD16<UInt8>.self)
            index += 4
        }
        for pixel in index..<pixels.count { blend(level, onto: &pixels[pixel]) }
    }

    /// Draws the colour over one pixel with the coverage `level` (source-over in W3C Compositing 1, 5.1). Colours are
    /// not premultiplied, and the result is rounded to the nearest value.
    func blend(_ level: UInt8, onto pixel: inout RGBA) {
        if isOpaque, level == Coverage.full {
            pixel = color
            return
        }
        let alpha = alphas[Int(level)]
        guard alpha != 0 else { return }
        let below = Int(pixel.alpha) * (255 - alpha)
        let total = alpha * 255 + below
        func mixed(_ source: UInt8, _ old: UInt8) -> UInt8 {
            UInt8(truncatingIfNeeded: (Int(source) * alpha * 255 + Int(old) * below + total / 2) / total)
        }
        pixel = RGBA(
            red: mixed(color.red, pixel.red), green: mixed(color.green, pixel.green),
            blue: mixed(color.blue, pixel.blue), alpha: UInt8(truncatingIfNeeded: (total + 127) / 255))
    }
}
