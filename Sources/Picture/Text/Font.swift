import Raster

/// A font size and a language with which texts are drawn. The program carries the font DejaVu Sans with the Latin,
/// Greek and Cyrillic letters, and the key `fonts` of the configuration adds fonts. HarfBuzz places the letters of a
/// line, and FriBidi orders lines of mixed direction. A character that is missing in all fonts is drawn as an empty
/// box.
///
/// The heights of capitals and small letters of DejaVu Sans are rounded to whole pixels, so that small labels are
/// sharp. Widths are not rounded: a text at twice the size is exactly twice as wide. Thread rule: any thread that may
/// block, because a font file is read when the first character needs it. A `Font` keeps the list of fonts that the
/// process uses when the `Font` is made.
public struct Font: Sendable {
    /// The size of the font in pixels.
    public let size: Double
    /// The height of capitals and digits in whole pixels.
    public let capHeight: Double
    /// The language of the texts as a tag of BCP 47, such as `ja` or `zh-Hant`. Some characters look different in
    /// different languages, and the language chooses the form. Nil: the font's usual form.
    public let language: String?
    private let xHeight: Double
    private let list: FontList

    /// Creates a font of `size` pixels. `size` must be above 0. `language` is a tag of BCP 47 with at most 35 ASCII
    /// characters, or nil for the usual forms of the characters. A longer tag counts as nil.
    public init(size: Double, language: String? = nil) {
        self.init(size: size, language: language, .process)
    }

    package init(size: Double, language: String? = nil, _ list: FontList) {
        precondition(size > 0, "a font has a size")
        self.size = size
        // Ignores a language with more than 35 characters: HarfBuzz keeps each language in memory until the process
        // ends.
        self.language = language.flatMap { $0.utf8.count <= 35 && $0.utf8.allSatisfy { $0 < 0x80 } ? $0 : nil }
        self.list = list
        let face = FontFace.dejaVu
        let heights = face.heights ?? (face.unitsPerEm, face.unitsPerEm / 2)
        capHeight = max(1, (heights.capital / face.unitsPerEm * size).rounded())
        xHeight = max(1, (heights.small / face.unitsPerEm * size).rounded())
    }

    /// Returns the width of `text` in pixels.
    public func width(of text: String) -> Double { list.line(text, language: language).width * size }

    /// Returns the outline of `text`, to be filled. `origin` is the left end of the baseline in pixels. The letters are
    /// sharp only if `origin` has whole coordinates, such as a result of `aligned(_:)`.
    public func path(for text: String, at origin: Point) -> Path {
        var path = Path()
        for glyph in list.line(text, language: language).glyphs {
            let outline = list.outline(of: glyph.number, glyph.face)
            let (scale, isSharp) = (size / glyph.face.unitsPerEm, glyph.face === FontFace.dejaVu)
            let contours = outline.points { point in
                let y = glyph.origin.y * glyph.face.unitsPerEm + point.y
                // Rounds the offset of each point from `origin` to subpixels (1/256 pixel) before adding it to
                // `origin`. A moved text therefore keeps the exact shapes of its letters.
                let offset = Point(
                    x: glyph.origin.x * size + point.x * scale, y: -(isSharp ? sharp(y, glyph.face) : y * scale))
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

    /// Returns the height in pixels of a point that lies `y` font units above the baseline. The scale is adjusted so
    /// that the tops of capitals and small letters lie on whole pixels.
    private func sharp(_ y: Double, _ face: FontFace) -> Double {
        guard y > 0, let heights = face.heights else { return y / face.unitsPerEm * size }
        if y <= heights.small { return y / heights.small * xHeight }
        return xHeight + (y - heights.small) / (heights.capital - heights.small) * (capHeight - xHeight)
    }
}
