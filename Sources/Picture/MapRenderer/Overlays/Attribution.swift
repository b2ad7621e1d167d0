import MapGeometry
import Raster

/// Who is to be thanked for the layers, in the lower right corner of the image on a light ground.
package struct Attribution: Hashable, Sendable {
    /// Plain text; markup shows as it stands.
    package var text: String

    /// Shows `text`, in several lines where the image is too narrow for one.
    package init(_ text: String) {
        self.text = text
    }

    /// The text in points: its size, and the room around it.
    private static let size = 11.0
    private static let margin = 4.0

    func shapes(on ground: ScreenGround) -> [OverlayShape] {
        let font = Font(size: Self.size * ground.scale, weight: 0.1)
        let margin = (Self.margin * ground.scale).rounded()
        let (width, height) = (Double(ground.width), Double(ground.height))
        let lines = Self.lines(of: text, font, width: width - 2 * margin)
        guard !lines.isEmpty else { return [] }
        let leading = (Self.size * 1.2 * ground.scale).rounded()
        let longest = lines.map { font.width(of: $0) }.reduce(0) { max($0, $1) }
        let left = max(0, width - longest - 2 * margin - font.weight.rounded(.up))
        let top = height - 2 * margin - font.capHeight - leading * Double(lines.count - 1)
        let box = [
            Point(x: left, y: top), Point(x: width, y: top), Point(x: width, y: height), Point(x: left, y: height),
        ]
        var text = Path()
        for (index, line) in lines.enumerated() {
            let baseline = height - margin - leading * Double(lines.count - 1 - index)
            let origin = font.aligned(Point(x: max(margin, width - margin - font.width(of: line)), y: baseline))
            for contour in font.path(for: line, at: origin).contours { text.add(contour) }
        }
        return [
            OverlayShape(path: Path(box), width: nil, color: RGBA(red: 255, green: 255, blue: 255, alpha: 190)),
            OverlayShape(path: text, width: font.weight, color: RGBA(red: 0x33, green: 0x33, blue: 0x33)),
        ]
    }

    /// The text in lines of at most `width` pixels, broken between words; a longer word has a line of its own.
    private static func lines(of text: String, _ font: Font, width: Double) -> [String] {
        text.split { $0.isWhitespace && $0 != "\u{A0}" && $0 != "\u{202F}" }.reduce(into: []) { lines, word in
            if let last = lines.last, font.width(of: last + " " + word) <= width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
    }
}
