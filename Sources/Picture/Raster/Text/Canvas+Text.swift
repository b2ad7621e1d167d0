extension Canvas {
    /// Draws `text` with its baseline's left end at `origin`, first `halo` around it where there is one.
    public mutating func draw(_ text: String, at origin: Point, font: Font, color: RGBA, halo: Halo? = nil) {
        let path = font.path(for: text, at: font.aligned(origin))
        if let halo { stroke(path, width: font.weight + 2 * halo.width, color: halo.color) }
        stroke(path, width: font.weight, color: color)
    }

    /// Draws `text` in the middle of `center`, both ways, fitted to whole pixels.
    public mutating func draw(_ text: String, center: Point, font: Font, color: RGBA, halo: Halo? = nil) {
        let origin = Point(x: center.x - font.width(of: text) / 2, y: center.y + font.capHeight / 2)
        draw(text, at: origin, font: font, color: color, halo: halo)
    }
}

/// A rim around text that sets it off from what is below.
public struct Halo: Hashable, Sendable {
    /// The rim's colour.
    public let color: RGBA
    /// Pixels on each side.
    public let width: Double

    /// A rim of `width` pixels on each side.
    public init(color: RGBA, width: Double) {
        self.color = color
        self.width = width
    }
}
