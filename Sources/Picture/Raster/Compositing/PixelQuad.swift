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

    // The formulas of W3C Compositing and Blending 1, in sRGB as browsers and map clients compute them.
    //
    // With straight colours Cs, Cb and a mode's function B, 5.8 says
    // co = αs (1 - αb) Cs + αs αb B(Cb, Cs) + (1 - αs) αb Cb. With the premultiplied s = αs Cs and b = αb Cb that is
    // s (1 - αb) + b (1 - αs) + αs αb B(Cb, Cs), and the last product needs no division for any of these modes.

    /// 5.1, source over: s + b (1 - αs).
    @inline(__always)
    func under(_ source: PixelQuad) -> PixelQuad {
        let rest = 1 - source.alpha
        return PixelQuad(
            red: source.red + red * rest, green: source.green + green * rest, blue: source.blue + blue * rest,
            alpha: source.alpha + alpha * rest)
    }

    /// A separable mode, whose `term` is αs αb B(Cb, Cs) from s, b, αs and αb.
    @inline(__always)
    func under(_ source: PixelQuad, term: (Lanes, Lanes, Lanes, Lanes) -> Lanes) -> PixelQuad {
        let (above, below) = (source.alpha, alpha)
        let (restAbove, restBelow) = (1 - above, 1 - below)
        func mixed(_ source: Lanes, _ backdrop: Lanes) -> Lanes {
            source * restBelow + backdrop * restAbove + term(source, backdrop, above, below)
        }
        return PixelQuad(
            red: mixed(source.red, red), green: mixed(source.green, green), blue: mixed(source.blue, blue),
            alpha: above + below * restAbove)
    }

    /// 10.1.2: B = Cb Cs.
    @inline(__always)
    static func multiply(_ source: Lanes, _ backdrop: Lanes, _ above: Lanes, _ below: Lanes) -> Lanes {
        source * backdrop
    }

    /// 10.1.3: B = Cb + Cs - Cb Cs.
    @inline(__always)
    static func screen(_ source: Lanes, _ backdrop: Lanes, _ above: Lanes, _ below: Lanes) -> Lanes {
        backdrop * above + source * below - source * backdrop
    }

    /// 10.1.4, by way of hard light (10.1.9) with source and backdrop exchanged: B = 2 Cb Cs where Cb is at most 1/2,
    /// else 1 - 2 (1 - Cb) (1 - Cs).
    @inline(__always)
    static func overlay(_ source: Lanes, _ backdrop: Lanes, _ above: Lanes, _ below: Lanes) -> Lanes {
        let dark = 2 * source * backdrop
        let light = above * below - 2 * (below - backdrop) * (above - source)
        return light.replacing(with: dark, where: 2 * backdrop .<= below)
    }

    /// 10.1.5: B = min(Cb, Cs).
    @inline(__always)
    static func darken(_ source: Lanes, _ backdrop: Lanes, _ above: Lanes, _ below: Lanes) -> Lanes {
        (source * below).lower(backdrop * above)
    }

    /// 10.1.6: B = max(Cb, Cs).
    @inline(__always)
    static func lighten(_ source: Lanes, _ backdrop: Lanes, _ above: Lanes, _ below: Lanes) -> Lanes {
        (source * below).higher(backdrop * above)
    }

    /// The four pixels, where each of the four has been taken for a channel.
    @inline(__always)
    var transposed: PixelQuad {
        let (first, second, third, fourth) = (red, green, blue, alpha)
        return PixelQuad(
            red: Lanes(first.x, second.x, third.x, fourth.x), green: Lanes(first.y, second.y, third.y, fourth.y),
            blue: Lanes(first.z, second.z, third.z, fourth.z), alpha: Lanes(first.w, second.w, third.w, fourth.w))
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

extension SIMD4<Float> {
    /// A point on the curve through four, kept between the second and the third.
    @inline(__always)
    static func curve(_ first: Self, _ second: Self, _ third: Self, _ fourth: Self, _ weights: SIMD4<Float>) -> Self {
        let middle = second * weights.y + third * weights.z
        let point = middle + (first * weights.x + fourth * weights.w)
        return point.lower(second.higher(third)).higher(second.lower(third))
    }
}

extension AxisFilter {
    /// The four weights of a pixel between texels.
    func curve(at index: Int) -> SIMD4<Float> {
        SIMD4(weights[index * 4], weights[index * 4 + 1], weights[index * 4 + 2], weights[index * 4 + 3])
    }
}

extension UnsafeMutableBufferPointer<PixelQuad> {
    func add(_ row: Self, _ weight: Float) {
        for index in row.indices {
            self[index].red += row[index].red * weight
            self[index].green += row[index].green * weight
            self[index].blue += row[index].blue * weight
            self[index].alpha += row[index].alpha * weight
        }
    }

    func interpolate(_ first: Self, _ second: Self, _ third: Self, _ fourth: Self, _ weights: SIMD4<Float>) {
        for index in indices {
            let (first, second, third, fourth) = (first[index], second[index], third[index], fourth[index])
            // Between two that were kept apart from it a colour may come out above alpha.
            let alpha = Lanes.curve(first.alpha, second.alpha, third.alpha, fourth.alpha, weights)
            self[index] = PixelQuad(
                red: .curve(first.red, second.red, third.red, fourth.red, weights).lower(alpha),
                green: .curve(first.green, second.green, third.green, fourth.green, weights).lower(alpha),
                blue: .curve(first.blue, second.blue, third.blue, fourth.blue, weights).lower(alpha), alpha: alpha)
        }
    }

    /// Writes linear light as sRGB with straight alpha, as many pixels as there is room for.
    func write(to pixels: UnsafeMutableRawBufferPointer, _ steps: [UInt16]) {
        steps.withUnsafeBufferPointer { steps in
            write(to: pixels) { quad in
                let scale = Float(TransferCurve.resolution) / (quad.alpha + PixelQuad.tiny)
                func encoded(_ light: Lanes) -> SIMD4<UInt32> {
                    let numbers = (light * scale).rounded
                    return SIMD4(
                        TransferCurve.encode(numbers.x, steps), TransferCurve.encode(numbers.y, steps),
                        TransferCurve.encode(numbers.z, steps), TransferCurve.encode(numbers.w, steps))
                }
                return PixelQuad.packed(
                    encoded(quad.red), encoded(quad.green), encoded(quad.blue), alpha: (quad.alpha * 255).rounded)
            }
        }
    }
}
