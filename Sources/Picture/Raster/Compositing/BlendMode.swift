/// How the colour of a layer is mixed with what lies below (W3C Compositing and Blending 1, 10.1).
///
/// The raw values are the names that CSS has for the modes.
public enum BlendMode: String, CaseIterable, Sendable {
    /// The layer's colour.
    case normal
    /// The product of both: never lighter than either; white changes nothing.
    case multiply
    /// The complement of the product of the complements: never darker than either; black changes nothing.
    case screen
    /// `multiply` where it is dark below, `screen` where it is light.
    case overlay
    /// The lower of both, for each channel.
    case darken
    /// The higher of both, for each channel.
    case lighten

    /// Blends straight pixels of four bytes, at most four for each of `quads`, with what is there.
    func lay(_ pixels: UnsafeRawBufferPointer, _ opacity: Float, on quads: UnsafeMutableBufferPointer<PixelQuad>) {
        if PixelAlphas.areZero(pixels) { return }
        switch self {
        case .normal: Self.each(pixels, opacity, quads) { $0.under($1) }
        case .multiply: Self.each(pixels, opacity, quads) { $0.under($1, term: PixelQuad.multiply) }
        case .screen: Self.each(pixels, opacity, quads) { $0.under($1, term: PixelQuad.screen) }
        case .overlay: Self.each(pixels, opacity, quads) { $0.under($1, term: PixelQuad.overlay) }
        case .darken: Self.each(pixels, opacity, quads) { $0.under($1, term: PixelQuad.darken) }
        case .lighten: Self.each(pixels, opacity, quads) { $0.under($1, term: PixelQuad.lighten) }
        }
    }

    @inline(__always)
    private static func each(
        _ pixels: UnsafeRawBufferPointer, _ opacity: Float, _ quads: UnsafeMutableBufferPointer<PixelQuad>,
        _ blended: (PixelQuad, PixelQuad) -> PixelQuad
    ) {
        let whole = pixels.count / 16
        for index in 0..<whole {
            let four = pixels.loadUnaligned(fromByteOffset: index * 16, as: SIMD4<UInt32>.self)
            quads[index] = blended(quads[index], PixelQuad(straight: four, opacity: opacity))
        }
        // The last pixels, where they are no four.
        let rest = UnsafeRawBufferPointer(rebasing: pixels[(whole * 16)...])
        guard !rest.isEmpty else { return }
        var four = SIMD4<UInt32>()
        withUnsafeMutableBytes(of: &four) { $0.copyMemory(from: rest) }
        quads[whole] = blended(quads[whole], PixelQuad(straight: four, opacity: opacity))
    }
}
