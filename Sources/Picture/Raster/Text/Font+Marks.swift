import Foundation

extension Font {
    /// The strokes of combining marks around x = 0, as in `glyphs.txt`; above small letters where they stand above.
    private static let marks: [Unicode.Scalar: (path: String, isAbove: Bool)] = [
        "\u{300}": ("M-.6 -.1L.4 1.2", true),
        "\u{301}": ("M-.4 1.2L.6 -.1", true),
        "\u{302}": ("M-1 1.2L0 0L1 1.2", true),
        "\u{303}": ("M-1.2 1Q-.7 .1 0 .6Q.7 1.1 1.2 .2", true),
        "\u{304}": ("M-1.1 .6H1.1", true),
        "\u{306}": ("M-1 0Q-.9 1.2 0 1.2Q.9 1.2 1 0", true),
        "\u{307}": ("M0 .5V.6", true),
        "\u{308}": ("M-.9 .5V.6M.9 .5V.6", true),
        "\u{309}": ("M-.5 .1Q-.3 -.5 .2 -.4Q.8 -.2 .5 .4L.1 1.2", true),
        "\u{30A}": ("M0 -.4Q-.8 -.4 -.8 .4Q-.8 1.2 0 1.2Q.8 1.2 .8 .4Q.8 -.4 0 -.4", true),
        "\u{30B}": ("M-.9 1.2L-.1 0M.3 1.2L1.1 0", true),
        "\u{30C}": ("M-1 0L0 1.2L1 0", true),
        "\u{30F}": ("M-1.1 0L-.3 1.2M.1 0L.9 1.2", true),
        "\u{311}": ("M-1 1.2Q-.9 0 0 0Q.9 0 1 1.2", true),
        "\u{323}": ("M0 8.6V8.7", false),
        "\u{326}": ("M.3 8.2L-.2 9.5", false),
        "\u{327}": ("M.1 7L-.2 7.9Q.6 7.9 .6 8.6Q.6 9.4 -.6 9.2", false),
        "\u{328}": ("M.9 7Q-.1 8 .4 8.8Q.7 9.2 1.2 8.9", false),
        "\u{331}": ("M-1.1 8.4H1.1", false),
    ]

    /// How far marks on tall letters stand above those on small ones, and one mark above another.
    private static let tallRise = 2.2
    private static let stackRise = 1.7

    /// The glyph of a letter that `base` knows with marks upon it (Unicode's canonical decomposition); nil where `base` or
    /// a mark is not known.
    static func composed(_ character: Character, of base: (Character) -> Glyph?) -> Glyph? {
        let scalars = Array(String(character).decomposedStringWithCanonicalMapping.unicodeScalars)
        guard scalars.count > 1, let first = scalars.first, let bare = base(Character(first)) else { return nil }
        let letter = Character(first)
        var strokes = bare.strokes
        let isTall = letter.isUppercase || "bdfhkltđħłþð".contains(letter)
        var rise = isTall ? -tallRise : 0
        let middle = letter == "j" ? bare.width : bare.width / 2
        for scalar in scalars.dropFirst() {
            // Latvian and Livonian write the cedilla as a comma below.
            let isComma = scalar == "\u{327}" && "GKLNRgklnr".contains(letter)
            guard let mark = marks[isComma ? "\u{326}" : scalar] else { return nil }
            // A mark above takes the place of the dot.
            if mark.isAbove, letter == "i" || letter == "j", strokes.count == bare.strokes.count {
                strokes.removeLast()
            }
            strokes += Self.strokes(of: mark.path).map { stroke in
                stroke.map { Point(x: $0.x + middle, y: $0.y + (mark.isAbove ? rise : 0)) }
            }
            if mark.isAbove { rise -= stackRise }
        }
        return Glyph(width: bare.width, strokes: strokes)
    }
}
