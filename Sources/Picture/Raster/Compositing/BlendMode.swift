/// The way in which the colour of a layer is mixed with the colour below it (W3C Compositing and Blending 1, 10.1).
///
/// The raw values are the names in CSS.
public enum BlendMode: String, CaseIterable, Sendable {
    /// The colour of the layer replaces the colour below.
    case normal
    /// The product of both colours. The result is never lighter than either colour, and white changes nothing.
    case multiply
    /// The complement of the product of the complements. The result is never darker than either colour, and black
    /// changes nothing.
    case screen
    /// `multiply` where the colour below is dark, `screen` where it is light.
    case overlay
    /// The lower value of both colours, for each channel.
    case darken
    /// The higher value of both colours, for each channel.
    case lighten

    /// Blends pixels onto `quads`. The pixels have four bytes each and straight alpha. There are at most four pixels
    /// for each quad.
    func lay(_ pixels: UnsafeRawBufferPointer, _ opacity: Float, on quads: UnsafeMutableBufferPointer<PixelQuad>) {
        if PixelAlphas.areZero(pixels) { return }
        switch self {
        case .normal: Self.each(pixels, opacity: opacity, quads) { $0.under($1) }
        case .multiply: Self.each(pixels, opacity: opacity, quads) { $0.under($1, term: PixelQuad.multiply) }
        case .screen: Self.each(pixels, opacity: opacity, quads) { $0.under($1, term: PixelQuad.screen) }
        case .overlay: Self.each(pixels, opacity: opacity, quads) { $0.under($1, term: PixelQuad.overlay) }
        case .darken: Self.each(pixels, opacity: opacity, quads) { $0.under($1, term: PixelQuad.darken) }
        case .lighten: Self.each(pixels, opacity: opacity, quads) { $0.under($1, term: PixelQuad.lighten) }
        }
    }

    @inline(__always)
    private static func each(
        _ pixels: UnsafeRawBufferPointer, opacity: Float, _ quads: UnsafeMutableBufferPointer<PixelQuad>,
        blended: (PixelQuad, PixelQuad) -> PixelQuad
    ) {
        let whole = pixels.count / 16
        for index in 0..<whole {
            let four = pixels.loadUnaligned(fromByteOffset: index * 16, as: SIMD4<UInt32>.self)
            quads[index] = blended(quads[index], PixelQuad(straight: four, opacity: opacity))
        }
        // The last one to three pixels, which do not fill a quad.
        let rest = UnsafeRawBufferPointer(rebasing: pixels[(whole * 16)...])
        guard !rest.isEmpty else { return }
        var four = SIMD4<UInt32>()
        withUnsafeMutableBytes(of: &four) { $0.copyMemory(from: rest) }
        quads[whole] = blended(quads[whole], PixelQuad(straight: four, opacity: opacity))
    }
}
