/// The formulas of W3C Compositing and Blending 1, in sRGB as browsers and map clients compute them.
///
/// With straight colours Cs, Cb and a mode's function B, 5.8 says
/// co = αs (1 - αb) Cs + αs αb B(Cb, Cs) + (1 - αs) αb Cb. With the premultiplied s = αs Cs and b = αb Cb that is
/// s (1 - αb) + b (1 - αs) + αs αb B(Cb, Cs), and the last product needs no division for any of these modes.
extension PixelQuad {
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
}
