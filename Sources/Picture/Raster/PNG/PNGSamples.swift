/// A picture in one of the forms that PNG has for it (PNG 11.2.1): what IHDR, PLTE and tRNS say, and the samples.
struct PNGSamples {
    enum Kind { case gray, rgb, palette, grayAlpha, rgba }

    let width: Int
    var height: Int
    let kind: Kind
    /// Bits of a sample: 8, for grey and palettes also 1, 2 or 4.
    var bitDepth = 8
    /// At most 256 colours, for a palette only.
    var palette: [RGBA] = []
    /// How many colours at the front of `palette` are not opaque.
    var translucentCount = 0
    /// For grey and RGB: the one colour that means a transparent pixel.
    var key: RGBA?
    /// Whether it says that its colours are sRGB, which they are in any case.
    var isSRGB = false
    /// Row-major, one sample a byte even where `bitDepth` is less.
    var bytes: [UInt8]

    /// Samples of a pixel.
    var channels: Int {
        switch kind {
        case .gray, .palette: 1
        case .grayAlpha: 2
        case .rgb: 3
        case .rgba: 4
        }
    }

    /// Bytes of a row in `bytes`.
    var rowBytes: Int { width * channels }

    /// Whether samples are quantities in whole bytes, whose neighbours a filter can compare. Filters work on bytes, so
    /// they would only break up the runs of packed samples, and numbers of colours are no quantities.
    var isFilterable: Bool { kind != .palette && bitDepth == 8 }

    /// Bytes before compression, of rows, PLTE and tRNS: what forms are compared by.
    var plainSize: Int {
        Self.plainSize(
            width: width, height: height, bits: bitDepth * channels, colors: palette.count, alphas: translucentCount,
            keyBytes: key == nil ? 0 : kind == .gray ? 2 : 6)
    }

    /// As `plainSize`; a chunk takes 12 bytes beside its data, a row one for its filter.
    static func plainSize(
        width: Int, height: Int, bits: Int, colors: Int = 0, alphas: Int = 0, keyBytes: Int = 0
    ) -> Int {
        let palette = colors == 0 ? 0 : 12 + 3 * colors
        let transparency = alphas + keyBytes == 0 ? 0 : 12 + alphas + keyBytes
        return height * (1 + (width * bits + 7) / 8) + palette + transparency
    }
}
