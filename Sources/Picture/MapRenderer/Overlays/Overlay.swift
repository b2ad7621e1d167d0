import MapGeometry
import Raster

/// Something drawn over the tiles of an image.
package enum Overlay: Sendable {
    /// A line or an area on the ground.
    case path(GroundPath)
    /// A marker at a place.
    case pin(Pin)
    /// Who is to be thanked, in the lower right corner.
    case attribution(Attribution)

    /// What it comes to in the image of `ground`.
    func shapes(on ground: ScreenGround) -> [OverlayShape] {
        switch self {
        case .path(let path): path.shapes(on: ground)
        case .pin(let pin): pin.shapes(on: ground)
        case .attribution(let attribution): attribution.shapes(on: ground)
        }
    }
}

/// One stroke or area, in pixels of the image.
struct OverlayShape {
    let path: Path
    /// Of the pen; nil fills.
    let width: Double?
    let color: RGBA
}

extension OverlayShape {
    /// As it is drawn on an image of this size.
    func banded(_ ground: ScreenGround) -> BandedShape {
        if let width { return BandedShape(stroking: path, pen: width, width: ground.width, height: ground.height) }
        return BandedShape(filling: path, width: ground.width, height: ground.height)
    }
}

extension MapImage {
    /// Draws `overlays` on the image of `plan`: paths in the order given, over them pins, the farthest first and of
    /// equally far ones in the order given, and over all attributions.
    ///
    /// Asks `isWanted` after a millisecond or so, again and again, and stops where that says no: then the image is of no use,
    /// and this returns false.
    @discardableResult
    package static func draw(
        _ overlays: [Overlay], on image: inout Pixmap, of plan: RenderPlan, isWanted: () -> Bool = { true }
    ) -> Bool {
        guard !overlays.isEmpty else { return true }
        // Moved, since an image with two owners would be copied.
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

    /// What drawing `overlays` on an image of what `projection` shows costs, in pixels: those of each area and those under
    /// the pen of each line, counted for each that lies over another. Counts no further than a little beyond `limit`, or
    /// until `isWanted` says no, and takes a small part of the time of drawing as much.
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
