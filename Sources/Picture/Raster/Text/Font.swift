/// A size of the font in which texts are drawn. The program carries DejaVu Sans with the Latin, Greek and Cyrillic
/// letters. HarfBuzz places the letters of a line, and FriBidi orders lines of mixed direction. A character that the
/// font does not have is an empty box.
///
/// The heights of capitals and small letters are whole pixels, so that small labels are sharp. Widths are exact: a font
/// of twice the size is twice as wide.
public struct Font: Sendable {
    /// The size of the font in pixels.
    public let size: Double
    /// The height of capitals and digits in whole pixels.
    public let capHeight: Double
    private let xHeight: Double

    /// Creates a font of `size` pixels, above 0.
    public init(size: Double) {
        precondition(size > 0, "a font has a size")
        self.size = size
        let face = FontFace.dejaVu
        capHeight = max(1, (face.capHeight / face.unitsPerEm * size).rounded())
        xHeight = max(1, (face.xHeight / face.unitsPerEm * size).rounded())
    }

    /// Returns the width of `text` in pixels.
    public func width(of text: String) -> Double { ShapedLine.of(text).width * size }

    /// Returns the outline of `text`, to be filled. `origin` is the left end of the baseline. The letters are sharp at
    /// whole pixels, as `aligned(_:)` returns them.
    public func path(for text: String, at origin: Point) -> Path {
        var path = Path()
        let line = ShapedLine.of(text)
        for glyph in line.glyphs {
            guard let outline = glyph.face.outline(of: glyph.number) else { continue }
            let scale = size / glyph.face.unitsPerEm
            let contours = outline.points { point in
                // Offsets are rounded to subpixels before they are added, so that moving the text does not change the
                // offsets.
                let offset = Point(
                    x: glyph.origin.x * size + point.x * scale,
                    y: -height(glyph.origin.y * glyph.face.unitsPerEm + point.y, glyph.face))
                return origin + offset.subpixelRounded
            }
            for contour in contours { path.add(contour, closed: true) }
        }
        return path
    }

    /// Returns the nearest point whose coordinates are whole pixels.
    public func aligned(_ point: Point) -> Point {
        Point(x: point.x.roundedHalfUp, y: point.y.roundedHalfUp)
    }

    /// Returns the height above the baseline in pixels. The scale is adjusted so that the top lines of capitals and
    /// small letters lie on whole pixels.
    private func height(_ y: Double, _ face: FontFace) -> Double {
        if y <= 0 { return y / face.unitsPerEm * size }
        if y <= face.xHeight { return y / face.xHeight * xHeight }
        return xHeight + (y - face.xHeight) / (face.capHeight - face.xHeight) * (capHeight - xHeight)
    }
}
