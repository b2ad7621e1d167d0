import Raster
import Text

/// The text of a label, broken into lines and measured. All lengths are multiples of the font size, so they hold for
/// every font size.
struct TextBlock: Sendable {
    let lines: [String]
    /// The width of the longest line, as a multiple of the font size.
    let width: Double
    /// Additional space between letters, as a multiple of the font size.
    private let spacing: Double

    /// Maximum width of a line, as a multiple of the font size, and maximum number of lines.
    private static let widest = 10.0
    private static let mostLines = 3
    /// The distance from one baseline to the next, the height of capitals above the baseline, and the depth of letters
    /// such as `g` below it. All are multiples of the font size, and fit DejaVu Sans.
    private static let (leading, rise, depth) = (1.2, 0.73, 0.24)
    /// The font size at which texts are measured, in pixels. The results are divided by this size, so any other size
    /// would give equal results.
    private static let size = 16.0

    /// Breaks `text` into lines and measures them. If `isOneLine` is true, the text stays on one line of any width.
    init(_ text: String, language: String? = nil, spacing: Double = 0, isOneLine: Bool = false) {
        let font = Font(size: Self.size, language: language)
        let (widest, most) = isOneLine ? (.infinity, 1) : (Self.widest * Self.size, Self.mostLines)
        let lines = text.split(separator: "\n").flatMap { font.lines(of: String($0), width: widest, most: most) }
        self.lines = isOneLine && !lines.isEmpty ? [lines.joined(separator: " ")] : Array(lines.prefix(most))
        self.spacing = spacing
        width = self.lines.map { Self.width(of: $0, font, spacing) }.reduce(0, max) / Self.size
    }

    private static func width(of line: String, _ font: Font, _ spacing: Double) -> Double {
        guard spacing > 0 else { return font.width(of: line) }
        return line.reduce(-spacing * font.size) { $0 + font.width(of: String($1)) + spacing * font.size }
    }

    /// An estimate of the bytes that the block takes in memory. 32 bytes are the header that Swift stores before the
    /// elements of the array, and before the characters of each line.
    var size: Int { lines.reduce(MemoryLayout<TextBlock>.stride + 32) { $0 + 32 + $1.utf8.count } }

    /// The height from the top of capitals in the first line to the lowest point of letters such as `g` in the last
    /// line, as a multiple of the font size.
    var height: Double { Double(lines.count - 1) * Self.leading + Self.rise + Self.depth }

    /// Returns the vector from the label's anchor to the top left corner of the text, in points. `reach` is the
    /// distance in points from the anchor to the edge of the symbol, and `size` the font size in points.
    func corner(_ spot: PlacedLabels.Spot, reach: Double, size: Double) -> Point {
        let (width, height) = (width * size, height * size)
        let gap = reach + LabelDecision.gap
        // Half the height without the depth of letters such as `g`. The anchor is at the middle of the capitals.
        let middle = (height - Self.depth * size) / 2
        return switch spot {
        case .right: Point(x: gap, y: -middle)
        case .left: Point(x: -gap - width, y: -middle)
        case .above: Point(x: -width / 2, y: -gap - height)
        case .below: Point(x: -width / 2, y: gap)
        case .middle(let shift): Point(x: -width / 2, y: shift * size - middle)
        // A text along a curve is still straight here, and begins at x = 0. The curve bends it later.
        case .along: Point(x: 0, y: -middle)
        }
    }

    /// Returns the parts of the text, each with the left end of its baseline as a vector from the anchor in pixels. A
    /// part is a line, or a single letter if there is additional space between letters. `reach` and `size` are as in
    /// `corner`. `scale` is the number of pixels per point, and `font` has the size in pixels.
    func baselines(
        _ spot: PlacedLabels.Spot, reach: Double, size: Double, scale: Double, font: Font
    ) -> [(text: String, origin: Point)] {
        let corner = corner(spot, reach: reach, size: size)
        return lines.enumerated().flatMap { index, line in
            let slack = width * size * scale - Self.width(of: line, font, spacing)
            let indent: Double =
                switch spot {
                case .right: 0
                case .left: slack
                case .above, .below, .middle, .along: slack / 2
                }
            let y = corner.y + (Self.rise + Double(index) * Self.leading) * size
            var origin = Point(x: corner.x * scale + indent, y: y * scale)
            guard spacing > 0 else { return [(line, origin)] }
            return line.map { letter in
                defer { origin.x += font.width(of: String(letter)) + spacing * font.size }
                return (String(letter), origin)
            }
        }
    }
}
