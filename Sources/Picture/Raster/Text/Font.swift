import CGlyphs
import Foundation

/// The project's own font, drawn with a pen. The font has the Latin letters of European languages with their
/// diacritical marks, and the signs that texts in these languages use. Any other character is drawn as an empty box, □.
/// Invisible characters are not drawn.
///
/// The heights of capitals and small letters and the widths of letters are whole pixels, so that small labels are
/// sharp.
public struct Font: Sendable {
    /// The size of the font in pixels. Capitals have 0.7 of this height, rounded to whole pixels.
    public let size: Double
    /// The width of the pen, in pixels.
    public let weight: Double

    /// The height of capitals and digits in whole pixels, measured between the middles of their strokes.
    public let capHeight: Double
    private let xHeight: Double
    private let unit: Double

    /// The lines of the glyphs' grid (see `glyphs.txt`).
    private static let baseline = 7.0
    private static let xLine = 2.2
    private static let tracking = 2.1

    /// Creates a font of `size` pixels, above 0. `weight` is the width of the pen as a fraction of the size. The pen is
    /// at least one pixel wide.
    public init(size: Double, weight: Double = 0.11) {
        precondition(size > 0 && weight > 0, "a font has a size and a pen")
        self.size = size
        self.weight = max(1, size * weight)
        unit = size / 10
        capHeight = max(1, (Self.baseline * unit).rounded())
        xHeight = max(1, ((Self.baseline - Self.xLine) * unit).rounded())
    }

    /// Returns the width of `text` in whole pixels, from the middle of its first stroke to the middle of its last.
    public func width(of text: String) -> Double {
        let advances = Self.glyphs(of: text).reduce(0) { $0 + advance(of: $1) }
        return max(0, advances - gap)
    }

    /// Returns the path that the pen draws for `text`. `origin.x` is the middle of the first stroke, and `origin.y` is
    /// the middle of the baseline.
    ///
    /// For sharp strokes, `origin` must fit to the pixels, and `aligned(_:)` returns such a point. It is the centre of
    /// a pixel if `weight` is nearest to an odd number, and otherwise the corner of a pixel.
    public func path(for text: String, at origin: Point) -> Path {
        var path = Path()
        var x = origin.x
        for glyph in Self.glyphs(of: text) {
            let stretch = glyph.width > 0 ? fittedWidth(glyph) / glyph.width : unit
            for stroke in glyph.strokes {
                // Offsets are rounded to subpixels before they are added, so that moving the text does not change the
                // offsets.
                path.add(
                    stroke.map { place in
                        Point(x: x, y: origin.y) + Point(x: place.x * stretch, y: height(place.y)).subpixelRounded
                    })
            }
            x += advance(of: glyph)
        }
        return path
    }

    /// Returns the point nearest to `point` at which horizontal and vertical strokes of the rounded `weight` fill whole
    /// pixels.
    public func aligned(_ point: Point) -> Point {
        let offset = weight.rounded().truncatingRemainder(dividingBy: 2) / 2
        return Point(x: (point.x - offset).roundedHalfUp + offset, y: (point.y - offset).roundedHalfUp + offset)
    }

    /// Returns the y of a glyph point in pixels below the baseline. The scale is adjusted so that the top lines of
    /// capitals and small letters lie on whole pixels.
    private func height(_ y: Double) -> Double {
        if y >= Self.baseline { return (y - Self.baseline) * unit }
        if y >= Self.xLine { return -(Self.baseline - y) * xHeight / (Self.baseline - Self.xLine) }
        return -xHeight - (Self.xLine - y) * (capHeight - xHeight) / Self.xLine
    }

    private func fittedWidth(_ glyph: Glyph) -> Double {
        max(1, (glyph.width * unit).rounded())
    }

    private var gap: Double { max(2, (Self.tracking * unit).rounded()) }

    private func advance(of glyph: Glyph) -> Double {
        glyph.width > 0 ? fittedWidth(glyph) + gap : gap
    }

    private static func glyphs(of text: String) -> [Glyph] { text.compactMap(glyph) }

    /// Returns the glyph of `character`. Returns nil for invisible characters, such as a direction mark. Canonically
    /// equivalent characters are equal in Swift and have the same glyph, for example é and e with U+0301.
    static func glyph(of character: Character) -> Glyph? {
        if let glyph = glyphs[character] { return glyph }
        if let glyph = composed(character, of: { glyphs[$0] }) { return glyph }
        if character.isWhitespace { return glyphs[" "] }
        if character == "\u{2010}" || character == "\u{2011}" { return glyphs["-"] }
        let isInvisible = character.unicodeScalars.allSatisfy {
            $0.properties.isDefaultIgnorableCodePoint || $0.properties.generalCategory == .control
        }
        return isInvisible ? nil : unknown
    }

    /// The glyph of a character that the font does not have.
    static let unknown = Glyph(width: 4, strokes: strokes(of: "M0 0H4V7H0V0"))

    /// The strokes of combining marks around x = 0, in the format of `glyphs.txt`. Marks above a letter are placed for
    /// small letters.
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

    /// The additional height of marks on tall letters, and the distance between two marks above each other.
    private static let tallRise = 2.2
    private static let stackRise = 1.7

    /// Returns the glyph of a letter with marks, such as é, from the glyphs of the letter and of the marks. Unicode's
    /// canonical decomposition gives these parts. `base` returns the glyph of the letter. Returns nil if there is no
    /// mark, or if the letter or a mark is unknown.
    static func composed(_ character: Character, of base: (Character) -> Glyph?) -> Glyph? {
        let scalars = Array(String(character).decomposedStringWithCanonicalMapping.unicodeScalars)
        guard scalars.count > 1, let first = scalars.first, let bare = base(Character(first)) else { return nil }
        let letter = Character(first)
        var strokes = bare.strokes
        let isTall = letter.isUppercase || "bdfhkltđħłþð".contains(letter)
        var rise = isTall ? -tallRise : 0
        let middle = letter == "j" ? bare.width : bare.width / 2
        for scalar in scalars.dropFirst() {
            // In Latvian and Livonian the cedilla is drawn as a comma below.
            let isComma = scalar == "\u{327}" && "GKLNRgklnr".contains(letter)
            guard let mark = marks[isComma ? "\u{326}" : scalar] else { return nil }
            // A mark above the letter replaces its dot.
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

extension Font {
    struct Glyph {
        let width: Double
        let strokes: [[Point]]
    }

    /// The glyphs of `glyphs.txt`, and the glyphs of letters with marks.
    static let glyphs: [Character: Glyph] = {
        var glyphs: [Character: Glyph] = [:]
        for line in String(cString: cglyphs_text()).split(separator: "\n") where !line.hasPrefix("##") {
            let words = line.dropFirst().split(separator: " ", maxSplits: 1)
            guard let character = line.first, let width = words.first.flatMap({ Double($0) }) else { continue }
            glyphs[character] = Glyph(width: width, strokes: strokes(of: words.count > 1 ? words[1] : ""))
        }
        // Adds the letters of Latin-1 and Latin Extended-A and -B that have marks. The letters are composed once here.
        let bare = glyphs
        for scalar in (0xC0...0x24F).compactMap(Unicode.Scalar.init) where glyphs[Character(scalar)] == nil {
            glyphs[Character(scalar)] = composed(Character(scalar)) { bare[$0] }
        }
        return glyphs
    }()

    /// Returns the lines that the pen draws for a glyph. `path` describes them in text. Each curve is replaced by eight
    /// straight lines.
    static func strokes(of path: some StringProtocol) -> [[Point]] {
        var strokes: [[Point]] = []
        var pen = Point(x: 0, y: 0)
        for (command, numbers) in commands(of: path) {
            let from = pen
            switch (command, numbers.count) {
            case ("M", 2), ("L", 2): pen = Point(x: numbers[0], y: numbers[1])
            case ("H", 1): pen.x = numbers[0]
            case ("V", 1): pen.y = numbers[0]
            case ("Q", 4): pen = Point(x: numbers[2], y: numbers[3])
            default: preconditionFailure("a glyph has the command \(command) with \(numbers)")
            }
            if command == "M" {
                strokes.append([pen])
            } else if command == "Q" {
                let control = Point(x: numbers[0], y: numbers[1])
                strokes[strokes.count - 1] += (1...8).map { curve(from, control, pen, at: Double($0) / 8) }
            } else {
                strokes[strokes.count - 1].append(pen)
            }
        }
        return strokes
    }

    /// Splits `path` into its commands. Each command is a letter with the numbers that follow it.
    private static func commands(of path: some StringProtocol) -> [(command: Character, numbers: [Double])] {
        var commands: [(Character, String)] = []
        for character in path {
            if character.isLetter {
                commands.append((character, ""))
            } else {
                commands[commands.count - 1].1.append(character)
            }
        }
        return commands.map { command, text in
            (command, text.split(separator: " ").compactMap { Double($0) })
        }
    }

    private static func curve(_ start: Point, _ control: Point, _ end: Point, at t: Double) -> Point {
        let (a, b, c) = ((1 - t) * (1 - t), 2 * t * (1 - t), t * t)
        return Point(x: a * start.x + b * control.x + c * end.x, y: a * start.y + b * control.y + c * end.y)
    }
}
