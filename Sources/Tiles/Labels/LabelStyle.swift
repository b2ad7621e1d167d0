import Raster

/// The look of labels. Lengths are in points.
package struct LabelStyle: Sendable, Hashable {
    /// The size of the texts in a world of 256 · 2^zoom points a side, from zoom 0 on. The last size is also that of
    /// all deeper zooms.
    package var sizes: [Double]
    package var color: RGBA
    /// The colour of the rim around letters. A transparent one is not drawn.
    package var halo: RGBA
    /// The width of the rim.
    package var haloWidth: Double
    /// The distance between letters beyond the usual one, in sizes of the font. Not 0 only for scripts whose letters
    /// stand alone.
    package var spacing = 0.0
    /// True if a text inside an area may stand a little above or below its point.
    package var isShifted = false
    /// True if other labels prefer places that do not cover this label's symbol.
    package var isLandmark = false
    /// The symbol that is drawn with the text.
    package var dot: LabelDot?

    package static let deepestZoom = 31

    package init(sizes: [Double], color: RGBA = .black, halo: RGBA = .transparent, haloWidth: Double = 1.5) {
        (self.sizes, self.color, self.halo, self.haloWidth) = (sizes, color, halo, haloWidth)
    }

    package init(size: Double, color: RGBA = .black, halo: RGBA = .transparent) {
        self.init(sizes: [size], color: color, halo: halo)
    }

    /// Returns the size of the texts at a zoom.
    func size(zoom: Int) -> Double { sizes.indices.contains(zoom) ? sizes[zoom] : sizes.last ?? 0 }

    /// Returns the style with all colours made more transparent. `opacity` is in 0…1.
    func faded(_ opacity: Double) -> LabelStyle {
        guard opacity < 1 else { return self }
        var style = self
        style.color = color.faded(opacity)
        style.halo = halo.faded(opacity)
        style.dot?.fade(opacity)
        return style
    }
}

/// A round symbol on a point.
package struct LabelDot: Sendable, Hashable {
    /// The diameter in points, without the rim.
    package var size: Double
    package var color: RGBA
    /// The colour of a rim of one point around the dot.
    package var rim: RGBA
    /// The colour of a ring inside the dot. Nil: there is none.
    package var ring: RGBA?

    package init(size: Double, color: RGBA, rim: RGBA, ring: RGBA? = nil) {
        (self.size, self.color, self.rim, self.ring) = (size, color, rim, ring)
    }

    /// The distance from the middle to the outer edge of the rim in points.
    package var reach: Double { size / 2 + 1 }

    fileprivate mutating func fade(_ opacity: Double) {
        (color, rim, ring) = (color.faded(opacity), rim.faded(opacity), ring?.faded(opacity))
    }

    /// Draws the dot. `scale` is the number of pixels per point.
    func draw(at center: Point, scale: Double, on canvas: inout Canvas) {
        // A path of one point draws a dot as wide as the round pen.
        let path = Path([center])
        canvas.stroke(path, width: (size + 2) * scale, color: rim)
        canvas.stroke(path, width: size * scale, color: color)
        guard let ring else { return }
        canvas.stroke(path, width: (size - 2) * scale, color: ring)
        canvas.stroke(path, width: (size - 3.4) * scale, color: color)
    }
}

extension RGBA {
    fileprivate func faded(_ opacity: Double) -> RGBA {
        RGBA(red: red, green: green, blue: blue, alpha: UInt8((Double(alpha) * min(max(opacity, 0), 1)).rounded()))
    }
}
