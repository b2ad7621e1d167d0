/// A picture in one of the pixel forms of PNG (PNG 11.2.1). It has the samples of all pixels, and the contents of the
/// chunks IHDR, PLTE (palette) and tRNS (transparency).
struct PNGSamples {
    enum Kind { case gray, rgb, palette, grayAlpha, rgba }

    let width: Int
    var height: Int
    let kind: Kind
    /// The number of bits per sample: 8, and for grey and palettes also 1, 2 or 4.
    var bitDepth = 8
    /// The colours of a palette, at most 256. The array is empty for other kinds.
    var palette: [RGBA] = []
    /// The number of colours at the front of `palette` that are not opaque.
    var translucentCount = 0
    /// The colour that represents transparent pixels, for grey and RGB only.
    var key: RGBA?
    /// True to declare the colours as sRGB. The colours are always sRGB, even without the declaration.
    var isSRGB = false
    /// The samples, row-major. Each sample has a byte of its own, even if `bitDepth` is less than 8.
    var bytes: [UInt8]

    /// The number of samples per pixel.
    var channels: Int {
        switch kind {
        case .gray, .palette: 1
        case .grayAlpha: 2
        case .rgb: 3
        case .rgba: 4
        }
    }

    /// The size of a row in `bytes`.
    var rowBytes: Int { width * channels }

    /// True if filters are useful: samples are quantities of whole bytes, and neighbours can be compared. Filters work
    /// on bytes, so they would break up the runs of packed samples. Indices into a palette are not quantities.
    var isFilterable: Bool { kind != .palette && bitDepth == 8 }

    /// The size before compression, in bytes, of the rows, PLTE and tRNS. Forms are compared by this size.
    var plainSize: Int {
        Self.plainSize(
            width: width, height: height, bits: bitDepth * channels, colors: palette.count, alphas: translucentCount,
            keyBytes: key == nil ? 0 : kind == .gray ? 2 : 6)
    }

    /// Returns the size before compression. A chunk needs 12 bytes in addition to its data, and a row needs one byte
    /// for its filter.
    static func plainSize(
        width: Int, height: Int, bits: Int, colors: Int = 0, alphas: Int = 0, keyBytes: Int = 0
    ) -> Int {
        let palette = colors == 0 ? 0 : 12 + 3 * colors
        let transparency = alphas + keyBytes == 0 ? 0 : 12 + alphas + keyBytes
        return height * (1 + (width * bits + 7) / 8) + palette + transparency
    }
}
