/// One channel of four neighbouring pixels.
typealias Lanes = SIMD4<Float>

/// Four neighbouring pixels, which are computed together. Each channel has one vector of four numbers. The colours are
/// premultiplied by alpha, and 1 is the full value.
///
/// The numbers have more precision than 8-bit colours. A computation in several steps is therefore rounded only once,
/// at the end.
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

    /// Creates a quad from four pixels with straight alpha. Each number has the four bytes of a pixel in little-endian
    /// order. `opacity` multiplies the alpha.
    @inline(__always)
    init(straight pixels: SIMD4<UInt32>, opacity: Float) {
        // A division of 255 by 255 is exactly 1. A multiplication by the inverse may not be.
        alpha = Lanes(small: pixels &>> 24) / 255 * opacity
        let scale = alpha / 255
        red = Lanes(small: pixels & 255) * scale
        green = Lanes(small: pixels &>> 8 & 255) * scale
        blue = Lanes(small: pixels &>> 16 & 255) * scale
    }

    /// The pixels with straight alpha and 8 bits a channel. Pixels with an alpha of 0 have the colour 0 too. No colour
    /// may be above alpha by more than a rounding error.
    @inline(__always)
    var straight: SIMD4<UInt32> {
        // If alpha is 0, the colours are 0 too, and so is the quotient.
        let scale = 255 / (alpha + Self.tiny)
        let red = (red * scale).rounded
        let green = (green * scale).rounded
        let blue = (blue * scale).rounded
        return Self.packed(red, green, blue, alpha: (alpha * 255).rounded)
    }

    /// A number that is added to alpha before a division. The number prevents a division by 0 and is too small to
    /// change a visible alpha.
    static let tiny: Float = 1e-30

    /// Packs channels up to 255 into pixels. A pixel with an alpha of 0 gets the value 0.
    @inline(__always)
    static func packed(
        _ red: SIMD4<UInt32>, _ green: SIMD4<UInt32>, _ blue: SIMD4<UInt32>, alpha: SIMD4<UInt32>
    ) -> SIMD4<UInt32> {
        let visible = SIMD4<UInt32>(repeating: 0) &- (alpha &+ 255) &>> 8
        return (red | green &<< 8 | blue &<< 16 | alpha &<< 24) & visible
    }

    // The formulas of W3C Compositing and Blending 1, in sRGB as browsers and map clients compute them.
    //
    // Section 10 has this formula for straight colours Cs and Cb and the function B of a mode: co = αs (1 - αb) Cs +
    // αs αb B(Cb, Cs) + (1 - αs) αb Cb. With the premultiplied colours s = αs Cs and b = αb Cb it becomes s (1 - αb) +
    // b (1 - αs) + αs αb B(Cb, Cs). The last product needs no division for any of these modes.

    /// Source over (5.1): s + b (1 - αs).
    @inline(__always)
    func under(_ source: PixelQuad) -> PixelQuad {
        let rest = 1 - source.alpha
        return PixelQuad(
            red: source.red + red * rest, green: source.green + green * rest, blue: source.blue + blue * rest,
            alpha: source.alpha + alpha * rest)
    }

    /// Applies a separable mode. `term` computes αs αb B(Cb, Cs) from s, b, αs and αb.
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

    /// Multiply (10.1.2): B = Cb Cs.
    @inline(__always)
    static func multiply(_ source: Lanes, _ backdrop: Lanes, above: Lanes, below: Lanes) -> Lanes {
        source * backdrop
    }

    /// Screen (10.1.3): B = Cb + Cs - Cb Cs.
    @inline(__always)
    static func screen(_ source: Lanes, _ backdrop: Lanes, above: Lanes, below: Lanes) -> Lanes {
        backdrop * above + source * below - source * backdrop
    }

    /// Overlay (10.1.4), which is hard light (10.1.9) with source and backdrop exchanged: B = 2 Cb Cs if Cb is at most
    /// 1/2, else 1 - 2 (1 - Cb) (1 - Cs).
    @inline(__always)
    static func overlay(_ source: Lanes, _ backdrop: Lanes, above: Lanes, below: Lanes) -> Lanes {
        let dark = 2 * source * backdrop
        let light = above * below - 2 * (below - backdrop) * (above - source)
        return light.replacing(with: dark, where: 2 * backdrop .<= below)
    }

    /// Darken (10.1.5): B = min(Cb, Cs).
    @inline(__always)
    static func darken(_ source: Lanes, _ backdrop: Lanes, above: Lanes, below: Lanes) -> Lanes {
        (source * below).lower(backdrop * above)
    }

    /// Lighten (10.1.6): B = max(Cb, Cs).
    @inline(__always)
    static func lighten(_ source: Lanes, _ backdrop: Lanes, above: Lanes, below: Lanes) -> Lanes {
        (source * below).higher(backdrop * above)
    }

    /// The transposed quad. A caller that has stored pixels in place of channels uses it to get the channels.
    @inline(__always)
    var transposed: PixelQuad {
        let (first, second, third, fourth) = (red, green, blue, alpha)
        return PixelQuad(
            red: Lanes(first.x, second.x, third.x, fourth.x), green: Lanes(first.y, second.y, third.y, fourth.y),
            blue: Lanes(first.z, second.z, third.z, fourth.z), alpha: Lanes(first.w, second.w, third.w, fourth.w))
    }
}

extension SIMD4<Float> {
    /// Converts numbers below 2^23 to floating point. Each number becomes the mantissa of a float from 2^23 on, and
    /// 2^23 is subtracted. This takes two instructions, while the library's conversion processes lane after lane.
    @inline(__always)
    init(small numbers: SIMD4<UInt32>) {
        self = unsafeBitCast(numbers | 0x4B00_0000, to: SIMD4<Float>.self) - 8_388_608
    }

    /// The numbers, from 0 to 2^22, rounded to the nearest integer. Below 2^12, halves round up. A number less than
    /// 1/4096 below a half rounds up there too, because 0.7 · 255 in binary is a little below 178.5.
    @inline(__always)
    var rounded: SIMD4<UInt32> {
        let shifted = (self + 1 / 4096) + 8_388_608
        return unsafeBitCast(shifted, to: SIMD4<UInt32>.self) & 0x7F_FFFF
    }

    /// Returns the lower number in each lane. The library's `pointwiseMin` processes lane after lane.
    @inline(__always)
    func lower(_ other: Self) -> Self {
        replacing(with: other, where: other .< self)
    }

    /// Returns the higher number in each lane.
    @inline(__always)
    func higher(_ other: Self) -> Self {
        replacing(with: other, where: other .> self)
    }
}

extension SIMD4<Float> {
    /// Returns a point on the curve through four values, clamped to the range between the second and the third.
    @inline(__always)
    static func curve(_ first: Self, _ second: Self, _ third: Self, _ fourth: Self, _ weights: SIMD4<Float>) -> Self {
        let middle = second * weights.y + third * weights.z
        let point = middle + (first * weights.x + fourth * weights.w)
        return point.lower(second.higher(third)).higher(second.lower(third))
    }
}

extension AxisFilter {
    /// Returns the four weights of a pixel between texels.
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
            // Colours are clamped independently of alpha, so a colour could exceed alpha without this limit.
            let alpha = Lanes.curve(first.alpha, second.alpha, third.alpha, fourth.alpha, weights)
            self[index] = PixelQuad(
                red: .curve(first.red, second.red, third.red, fourth.red, weights).lower(alpha),
                green: .curve(first.green, second.green, third.green, fourth.green, weights).lower(alpha),
                blue: .curve(first.blue, second.blue, third.blue, fourth.blue, weights).lower(alpha), alpha: alpha)
        }
    }

    /// Converts linear light to sRGB colours and writes them with straight alpha (colours that are not multiplied by
    /// alpha). Writes as many pixels as `pixels` has room for.
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
