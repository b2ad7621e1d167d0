/// One channel of four neighbouring pixels.
typealias Lanes = SIMD4<Float>

/// Four neighbouring pixels, channel by channel: premultiplied by alpha, 1 is full.
///
/// Single precision is finer than 8 bits by far, so that what is done in several steps is rounded once, at the end.
struct PixelQuad: BitwiseCopyable {
    var red: Lanes
    var green: Lanes
    var blue: Lanes
    var alpha: Lanes

    static let transparent = PixelQuad(red: .zero, green: .zero, blue: .zero, alpha: .zero)

    @inline(__always)
    init(red: Lanes, green: Lanes, blue: Lanes, alpha: Lanes) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// Four pixels with straight alpha, each a little-endian number of its four bytes; `opacity` multiplies the alpha.
    @inline(__always)
    init(straight pixels: SIMD4<UInt32>, opacity: Float) {
        // A division gives 1 for 255, which a product with the inverse need not.
        alpha = Lanes(small: pixels &>> 24) / 255 * opacity
        let scale = alpha / 255
        red = Lanes(small: pixels & 255) * scale
        green = Lanes(small: pixels &>> 8 & 255) * scale
        blue = Lanes(small: pixels &>> 16 & 255) * scale
    }

    /// The pixels with straight alpha and 8 bits a channel, where no colour is above alpha by more than the last bits of
    /// a number; all bits are 0 where the alpha is.
    @inline(__always)
    var straight: SIMD4<UInt32> {
        // Where alpha is 0, so are the colours; the quotient is then 0 too.
        let scale = 255 / (alpha + Self.tiny)
        let red = (red * scale).rounded
        let green = (green * scale).rounded
        let blue = (blue * scale).rounded
        return Self.packed(red, green, blue, alpha: (alpha * 255).rounded)
    }

    /// Added to an alpha of 0 it makes a divisor, to any other alpha it makes no difference.
    static let tiny: Float = 1e-30

    /// Numbers up to 255 as pixels; all bits are 0 where the alpha is.
    @inline(__always)
    static func packed(
        _ red: SIMD4<UInt32>, _ green: SIMD4<UInt32>, _ blue: SIMD4<UInt32>, alpha: SIMD4<UInt32>
    ) -> SIMD4<UInt32> {
        let visible = SIMD4<UInt32>(repeating: 0) &- (alpha &+ 255) &>> 8
        return (red | green &<< 8 | blue &<< 16 | alpha &<< 24) & visible
    }
}

extension SIMD4<Float> {
    /// Numbers below 2 to the power of 23, as the mantissas of numbers from there on: a conversion for two instructions
    /// where the library's goes through each lane.
    @inline(__always)
    init(small numbers: SIMD4<UInt32>) {
        self = unsafeBitCast(numbers | 0x4B00_0000, to: SIMD4<Float>.self) - 8_388_608
    }

    /// To the nearest integer of numbers from 0 to 2 to the power of 22, halves up. What fell short of a half by less
    /// than 1/4096, as 0.7 times 255 does in binary, counts as one.
    @inline(__always)
    var rounded: SIMD4<UInt32> {
        let shifted = (self + 1 / 4096) + 8_388_608
        return unsafeBitCast(shifted, to: SIMD4<UInt32>.self) & 0x7F_FFFF
    }

    /// The lower of both in each lane; the library's `pointwiseMin` goes through them one by one.
    @inline(__always)
    func lower(_ other: Self) -> Self {
        replacing(with: other, where: other .< self)
    }

    /// The higher of both in each lane.
    @inline(__always)
    func higher(_ other: Self) -> Self {
        replacing(with: other, where: other .> self)
    }
}
