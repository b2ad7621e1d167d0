import Raster

extension Canvas {
    /// Draws `text`. `origin` is the left end of its baseline. If there is a `halo`, it is drawn first, around the
    /// text.
    public mutating func draw(_ text: String, at origin: Point, font: Font, color: RGBA, halo: Halo? = nil) {
        let path = font.path(for: text, at: font.aligned(origin))
        if let halo { stroke(path, width: 2 * halo.width, color: halo.color) }
        fill(path, color: color)
    }

    /// Draws `text` centred at `center`, in both directions, aligned to whole pixels.
    public mutating func draw(_ text: String, center: Point, font: Font, color: RGBA, halo: Halo? = nil) {
        let origin = Point(x: center.x - font.width(of: text) / 2, y: center.y + font.capHeight / 2)
        draw(text, at: origin, font: font, color: color, halo: halo)
    }
}

/// A border around the letters of a text, so that the text can be read on any picture below it.
public struct Halo: Hashable, Sendable {
    /// The rim's colour.
    public let color: RGBA
    /// The width of the rim on each side, in pixels.
    public let width: Double

    /// Creates a rim of `width` pixels on each side.
    public init(color: RGBA, width: Double) {
        self.color = color
        self.width = width
    }
}
