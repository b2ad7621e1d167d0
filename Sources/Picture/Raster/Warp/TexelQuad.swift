/// The texels (pixels of a tile) from which four neighbouring pixels are computed. Each pixel of the picture lies
/// between four texels: top left, top right, bottom left and bottom right.
///
/// A texel is the number that its four bytes form in little-endian order. Its colour is not premultiplied.
struct TexelQuad {
    var topLeft = SIMD4<UInt32>()
    var topRight = SIMD4<UInt32>()
    var bottomLeft = SIMD4<UInt32>()
    var bottomRight = SIMD4<UInt32>()

    /// Loads four texels for each pixel. `offsets` has the position of the top left texel in bytes, and the top right
    /// texel follows it. The bottom texels are `stride` bytes further.
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer, at offsets: SIMD4<Int>, stride: Int) {
        func pair(_ offset: Int) -> SIMD2<UInt32> {
            bytes.loadUnaligned(fromByteOffset: offset, as: SIMD2<UInt32>.self)
        }
        let (first, second) = (pair(offsets.x), pair(offsets.y))
        let (third, fourth) = (pair(offsets.z), pair(offsets.w))
        topLeft = SIMD4(first.x, second.x, third.x, fourth.x)
        topRight = SIMD4(first.y, second.y, third.y, fourth.y)
        let (below, below2) = (pair(offsets.x &+ stride), pair(offsets.y &+ stride))
        let (below3, below4) = (pair(offsets.z &+ stride), pair(offsets.w &+ stride))
        bottomLeft = SIMD4(below.x, below2.x, below3.x, below4.x)
        bottomRight = SIMD4(below.y, below2.y, below3.y, below4.y)
    }

    /// Creates a quad of transparent texels.
    init() {}

    /// True if all texels are transparent.
    @inline(__always)
    var isTransparent: Bool {
        let all = topLeft | topRight | bottomLeft | bottomRight
        return (all.x | all.y | all.z | all.w) >> 24 == 0
    }
}

/// Says where four neighbouring pixels lie between their texels. Each number is the distance from the top left texel,
/// to the right or downwards, in 1/256 of a texel.
struct TexelParts {
    let x: SIMD4<UInt32>
    let y: SIMD4<UInt32>

    /// Creates the distances from four positions on a `TexelLine`.
    @inline(__always)
    init(_ x: SIMD4<Int>, _ y: SIMD4<Int>) {
        self.x = SIMD4(Self.part(x.x), Self.part(x.y), Self.part(x.z), Self.part(x.w))
        self.y = SIMD4(Self.part(y.x), Self.part(y.y), Self.part(y.z), Self.part(y.w))
    }

    /// Returns the upper eight fractional bits of a position on a `TexelLine`.
    @inline(__always)
    private static func part(_ place: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: place &>> (TexelLine.fractionBits - 8)) & 255
    }
}

/// Adds up opaque texels for four neighbouring pixels. Each texel has a weight. When the weights of a pixel add up to
/// 256, the pixel is complete.
struct TexelSums: BitwiseCopyable {
    /// The red and blue channels of the pixels, alternating.
    var redBlue: SIMD8<UInt16>
    /// The green and alpha channels of the pixels, alternating.
    var greenAlpha: SIMD8<UInt16>

    static let zero = TexelSums(redBlue: .zero, greenAlpha: .zero)

    /// Adds the colour between the four texels of each pixel (bilinear interpolation), with a weight in 1/256.
    ///
    /// `weight` is divided among the four texels in whole numbers, so an area of one colour keeps exactly this colour.
    /// The weights of all additions together must be at most 256, so that no sum overflows.
    @inline(__always)
    mutating func add(_ texels: TexelQuad, _ parts: TexelParts, weight: UInt16) {
        let (x, y) = (Self.doubled(parts.x), Self.doubled(parts.y))
        let (right, bottom) = ((x &* weight &+ 128) &>> 8, (y &* weight &+ 128) &>> 8)
        let bottomRight = (right &* y &+ 128) &>> 8
        let topRight = right &- bottomRight
        let bottomLeft = bottom &- bottomRight
        let topLeft = SIMD8(repeating: weight) &- right &- bottomLeft
        add(texels.topLeft, topLeft)
        add(texels.topRight, topRight)
        add(texels.bottomLeft, bottomLeft)
        add(texels.bottomRight, bottomRight)
    }

    @inline(__always)
    private mutating func add(_ texels: SIMD4<UInt32>, _ weights: SIMD8<UInt16>) {
        let mask = SIMD4<UInt32>(repeating: 0x00FF_00FF)
        redBlue &+= unsafeBitCast(texels & mask, to: SIMD8<UInt16>.self) &* weights
        greenAlpha &+= unsafeBitCast(texels &>> 8 & mask, to: SIMD8<UInt16>.self) &* weights
    }

    /// Duplicates each number, for the two channels of a pixel.
    @inline(__always)
    private static func doubled(_ numbers: SIMD4<UInt32>) -> SIMD8<UInt16> {
        unsafeBitCast(numbers | numbers &<< 16, to: SIMD8<UInt16>.self)
    }

    /// The sums as pixels of 8 bits a channel, rounded to nearest. The result is correct only if alpha is full.
    @inline(__always)
    var pixels: SIMD4<UInt32> {
        let low = unsafeBitCast((redBlue &+ 128) &>> 8, to: SIMD4<UInt32>.self)
        let high = unsafeBitCast((greenAlpha &+ 128) &>> 8, to: SIMD4<UInt32>.self)
        return low | high &<< 8
    }

    /// True if all four pixels are opaque.
    @inline(__always)
    var isOpaque: Bool {
        let alphas = unsafeBitCast(greenAlpha, to: SIMD4<UInt32>.self) &>> 16
        return alphas.x & alphas.y & alphas.z & alphas.w == 255 * 256
    }

    /// True if nothing was added.
    @inline(__always)
    var isTransparent: Bool {
        let alphas = unsafeBitCast(greenAlpha, to: SIMD4<UInt32>.self)
        return (alphas.x | alphas.y | alphas.z | alphas.w) >> 16 == 0
    }
}

extension PixelQuad {
    /// Creates premultiplied pixels from sums.
    @inline(__always)
    init(_ sums: TexelSums) {
        let redBlue = unsafeBitCast(sums.redBlue, to: SIMD4<UInt32>.self)
        let greenAlpha = unsafeBitCast(sums.greenAlpha, to: SIMD4<UInt32>.self)
        let full: Float = 255 * 256
        // A division of the full value is exactly 1. A multiplication by the inverse may not be.
        red = Lanes(small: redBlue & 0xFFFF) / full
        green = Lanes(small: greenAlpha & 0xFFFF) / full
        blue = Lanes(small: redBlue &>> 16) / full
        alpha = Lanes(small: greenAlpha &>> 16) / full
    }

    /// Creates premultiplied pixels by bilinear interpolation of `texels`.
    @inline(__always)
    init(_ texels: TexelQuad, _ parts: TexelParts) {
        let (x, y) = (Lanes(small: parts.x) * (1 / 256), Lanes(small: parts.y) * (1 / 256))
        let topLeft = PixelQuad(straight: texels.topLeft, opacity: 1)
        let topRight = PixelQuad(straight: texels.topRight, opacity: 1)
        let bottomLeft = PixelQuad(straight: texels.bottomLeft, opacity: 1)
        let bottomRight = PixelQuad(straight: texels.bottomRight, opacity: 1)
        func mixed(_ first: Lanes, _ second: Lanes, _ third: Lanes, _ fourth: Lanes) -> Lanes {
            let top = first + (second - first) * x
            let bottom = third + (fourth - third) * x
            return top + (bottom - top) * y
        }
        red = mixed(topLeft.red, topRight.red, bottomLeft.red, bottomRight.red)
        green = mixed(topLeft.green, topRight.green, bottomLeft.green, bottomRight.green)
        blue = mixed(topLeft.blue, topRight.blue, bottomLeft.blue, bottomRight.blue)
        alpha = mixed(topLeft.alpha, topRight.alpha, bottomLeft.alpha, bottomRight.alpha)
    }

    @inline(__always)
    static func * (quad: PixelQuad, factor: Float) -> PixelQuad {
        PixelQuad(
            red: quad.red * factor, green: quad.green * factor, blue: quad.blue * factor, alpha: quad.alpha * factor)
    }

    @inline(__always)
    static func += (sum: inout PixelQuad, quad: PixelQuad) {
        sum.red += quad.red
        sum.green += quad.green
        sum.blue += quad.blue
        sum.alpha += quad.alpha
    }
}
