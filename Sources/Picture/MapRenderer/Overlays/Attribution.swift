import Raster
import Text

/// A credit text for the layers, in the lower right corner of the image on a light background.
package struct Attribution: Hashable, Sendable {
    /// The text to draw. HTML in the text is not interpreted: a tag such as `<b>` is drawn as these three characters.
    package var text: String

    /// Creates an attribution. If `text` is wider than the image, it is drawn in two lines. If `text` does not fit into
    /// two lines, the end of the text is replaced with an ellipsis.
    package init(_ text: String) {
        self.text = text
    }

    /// The font size in points.
    private static let size = 11.0
    /// The space between the text and each edge of its background, in points.
    private static let margin = 4.0
    /// Maximum number of lines. More lines would cover too much of the image.
    private static let mostLines = 2

    func shapes(on ground: ScreenGround) -> [OverlayShape] {
        let font = Font(size: Self.size * ground.scale)
        let margin = (Self.margin * ground.scale).rounded()
        let (width, height) = (Double(ground.width), Double(ground.height))
        let lines = font.lines(of: text, width: width - 2 * margin, most: Self.mostLines)
        guard !lines.isEmpty else { return [] }
        let leading = (Self.size * 1.2 * ground.scale).rounded()
        let longest = lines.map { font.width(of: $0) }.reduce(0) { max($0, $1) }
        let left = max(0, (width - longest - 2 * margin).rounded(.down))
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
            OverlayShape(path: text, width: nil, color: RGBA(red: 0x33, green: 0x33, blue: 0x33)),
        ]
    }
}
