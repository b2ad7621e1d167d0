import MapGeometry
import Raster

/// An object that is drawn over the tiles of an image.
package enum Overlay: Sendable {
    /// A line or an area on the ground.
    case path(GroundPath)
    /// A marker at a place.
    case pin(Pin)
    /// A credit text in the lower right corner.
    case attribution(Attribution)

    /// Returns the shapes to draw on the image of `ground`.
    func shapes(on ground: ScreenGround) -> [OverlayShape] {
        switch self {
        case .path(let path): path.shapes(on: ground)
        case .pin(let pin): pin.shapes(on: ground)
        case .attribution(let attribution): attribution.shapes(on: ground)
        }
    }
}

/// One stroke or filled area, in pixels of the image.
struct OverlayShape {
    let path: Path
    /// The width of the pen, or nil for a filled area.
    let width: Double?
    let color: RGBA
}

extension OverlayShape {
    /// Returns the shape prepared for drawing on the image of `ground`.
    func banded(_ ground: ScreenGround) -> BandedShape {
        if let width { return BandedShape(stroking: path, pen: width, width: ground.width, height: ground.height) }
        return BandedShape(filling: path, width: ground.width, height: ground.height)
    }
}

extension MapImage {
    /// Draws `overlays` on the image of `plan`. Paths come first, in the given order. Pins come next, the farthest
    /// first and equally far pins in the given order. Attributions come last.
    ///
    /// The function calls `isWanted` repeatedly. If it returns false, drawing stops and the function returns false. The
    /// image is then incomplete and must not be used.
    @discardableResult
    package static func draw(
        _ overlays: [Overlay], on image: inout Pixmap, of plan: RenderPlan, isWanted: () -> Bool = { true }
    ) -> Bool {
        guard !overlays.isEmpty else { return true }
        // The image is moved into the canvas, because an image with two owners would be copied.
        var canvas = Canvas(image)
        image = Pixmap(width: 1, height: 1)
        defer { image = canvas.pixmap }
        for overlay in ordered(overlays, plan.ground) {
            for shape in overlay.shapes(on: plan.ground) {
                let isWhole = canvas.draw(shape.banded(plan.ground), color: shape.color, isWanted: isWanted)
                guard isWhole else { return false }
            }
        }
        return true
    }

    /// Estimates how much work it is to draw `overlays` on the image of `projection`. The unit is one visited pixel. A
    /// pixel under several shapes or several segments of a line counts several times. Counting takes much less time
    /// than drawing. It stops soon after `limit` is exceeded, or if `isWanted` returns false.
    package static func cost(
        of overlays: [Overlay], projection: Projection, scale: Int, limit: Int, isWanted: () -> Bool = { true }
    ) -> Int {
        let ground = ScreenGround(projection, scale: max(scale, 1))
        var cost = 0
        for overlay in overlays {
            for shape in overlay.shapes(on: ground) where cost <= limit {
                cost += shape.banded(ground).cost(limit: limit - cost, isWanted: isWanted)
            }
            guard cost <= limit, isWanted() else { break }
        }
        return cost
    }

    private static func ordered(_ overlays: [Overlay], _ ground: ScreenGround) -> [Overlay] {
        var (paths, pins, attributions): ([Overlay], [(nearness: Double, pin: Overlay)], [Overlay]) = ([], [], [])
        for overlay in overlays {
            switch overlay {
            case .path: paths.append(overlay)
            case .pin(let pin): pins.append((pin.nearness(on: ground), overlay))
            case .attribution: attributions.append(overlay)
            }
        }
        let farFirst = pins.enumerated().sorted {
            ($0.element.nearness, $0.offset) < ($1.element.nearness, $1.offset)
        }
        return paths + farFirst.map(\.element.pin) + attributions
    }
}

/// A credit text for the layers, in the lower right corner of the image on a light background.
package struct Attribution: Hashable, Sendable {
    /// The plain text. Markup is not interpreted.
    package var text: String

    /// Creates an attribution. If the image is too narrow, `text` is shown in several lines.
    package init(_ text: String) {
        self.text = text
    }

    /// The size of the text and the space around it, in points.
    private static let size = 11.0
    private static let margin = 4.0

    func shapes(on ground: ScreenGround) -> [OverlayShape] {
        let font = Font(size: Self.size * ground.scale)
        let margin = (Self.margin * ground.scale).rounded()
        let (width, height) = (Double(ground.width), Double(ground.height))
        let lines = Self.lines(of: text, font, width: width - 2 * margin)
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

    /// Splits the text into lines of at most `width` pixels, between words. A word that is too long has a line for
    /// itself.
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
