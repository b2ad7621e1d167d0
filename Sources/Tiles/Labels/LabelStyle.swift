import Raster

/// The appearance of labels. Lengths are in points, if no other unit is stated.
package struct LabelStyle: Sendable, Hashable {
    /// The font size at each zoom, from zoom 0 on, in points. Zoom z is a world of 256 · 2^z points a side. The last
    /// size holds for all deeper zooms.
    package var sizes: [Double]
    package var color: RGBA
    /// The colour of the rim around letters. If the colour is fully transparent, there is no rim.
    package var halo: RGBA
    /// The width of the rim on each side of a letter.
    package var haloWidth: Double
    /// Additional space between letters, as a multiple of the font size. Must be 0 for scripts with connected letters,
    /// such as Arabic: with a space, letters are drawn one by one.
    package var spacing = 0.0
    /// True if the text of a label with the place `.on` may stand a little above or below its point.
    package var isShifted = false
    /// True if other labels avoid covering this label's symbol, as far as they have another free place.
    package var isLandmark = false
    /// The symbol that is drawn at the label's anchor. Nil: no symbol is drawn.
    package var dot: LabelDot?

    package static let deepestZoom = 31

    package init(sizes: [Double], color: RGBA = .black, halo: RGBA = .transparent, haloWidth: Double = 1.5) {
        (self.sizes, self.color, self.halo, self.haloWidth) = (sizes, color, halo, haloWidth)
    }

    package init(size: Double, color: RGBA = .black, halo: RGBA = .transparent) {
        self.init(sizes: [size], color: color, halo: halo)
    }

    /// Returns the font size at a zoom, in points.
    func size(zoom: Int) -> Double { sizes.indices.contains(zoom) ? sizes[zoom] : sizes.last ?? 0 }

    /// Returns the style with the alpha of all colours multiplied by `opacity`, which is in 0…1.
    func faded(_ opacity: Double) -> LabelStyle {
        guard opacity < 1 else { return self }
        var style = self
        style.color = color.faded(opacity)
        style.halo = halo.faded(opacity)
        style.dot?.fade(opacity)
        return style
    }
}

/// A round symbol, such as the dot of a town.
package struct LabelDot: Sendable, Hashable {
    /// The diameter in points, without the rim.
    package var size: Double
    package var color: RGBA
    /// The colour of the rim around the dot. The rim is one point wide.
    package var rim: RGBA
    /// The colour of a ring inside the dot, near its edge. Nil: the dot has no ring.
    package var ring: RGBA?

    package init(size: Double, color: RGBA, rim: RGBA, ring: RGBA? = nil) {
        (self.size, self.color, self.rim, self.ring) = (size, color, rim, ring)
    }

    /// The distance in points from the middle of the dot to the outer edge of its rim.
    package var reach: Double { size / 2 + 1 }

    fileprivate mutating func fade(_ opacity: Double) {
        (color, rim, ring) = (color.faded(opacity), rim.faded(opacity), ring?.faded(opacity))
    }

    /// Draws the dot with its middle at `center`, which is in pixels. `scale` is the number of pixels per point.
    func draw(at center: Point, scale: Double, on canvas: inout Canvas) {
        // Strokes a path of a single point: a round pen of the width w leaves a disc of the diameter w.
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
