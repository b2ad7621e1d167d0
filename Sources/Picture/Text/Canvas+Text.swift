import Raster

extension Canvas {
    /// Draws `text` on one line. `origin` is the left end of the text's baseline in pixels, and is rounded to whole
    /// pixels. If `halo` is not nil, the halo is drawn first, below the letters.
    public mutating func draw(_ text: String, at origin: Point, font: Font, color: RGBA, halo: Halo? = nil) {
        let path = font.path(for: text, at: font.aligned(origin))
        if let halo { stroke(path, width: 2 * halo.width, color: halo.color) }
        fill(path, color: color)
    }

    /// Draws `text` on one line with its middle at `center`, which is in pixels. Vertically, the middle of the capitals
    /// is at `center`. The left end of the baseline is then rounded to whole pixels. If `halo` is not nil, the halo is
    /// drawn first, below the letters.
    public mutating func draw(_ text: String, center: Point, font: Font, color: RGBA, halo: Halo? = nil) {
        let origin = Point(x: center.x - font.width(of: text) / 2, y: center.y + font.capHeight / 2)
        draw(text, at: origin, font: font, color: color, halo: halo)
    }
}

/// A rim around the letters of a text. With the rim, the text can be read on any picture below it.
public struct Halo: Hashable, Sendable {
    /// The colour of the rim.
    public let color: RGBA
    /// The width of the rim on each side, in pixels.
    public let width: Double

    /// Creates a rim of `width` pixels on each side.
    public init(color: RGBA, width: Double) {
        self.color = color
        self.width = width
    }
}
