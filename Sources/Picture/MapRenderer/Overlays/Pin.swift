import Foundation
import MapGeometry
import Raster
import Text

/// A marker that stands upright in the image. The tip of the marker points at a place.
public struct Pin: Hashable, Sendable {
    /// The place at the tip of the marker.
    public var place: Coordinate
    /// The colour of the marker. The label or the dot is dark if this colour is light, and otherwise white.
    public var color: RGBA
    /// The text in the head of the marker. Only its first three characters are drawn. If they are all spaces, or if the
    /// label is nil or empty, the head shows a dot.
    public var label: String?
    /// The size of the marker. The top of a marker of size 1 is 36 points above its place.
    public var size: Double

    /// Creates a marker at `place`. The default is a red marker with a dot, of size 1. A marker whose size is not
    /// finite and above 0 is not drawn.
    public init(
        at place: Coordinate, color: RGBA = RGBA(red: 0xD9, green: 0x3B, blue: 0x30), label: String? = nil,
        size: Double = 1
    ) {
        self.place = place
        self.color = color
        self.label = label
        self.size = size
    }

    /// The distance from the tip to the middle of the head, and the radius of the head. Both are in points, for a pin
    /// of size 1.
    private static let rise = 24.0
    private static let radius = 11.0

    /// Returns a number that is higher for pins nearer to the viewer. Nearer pins are drawn later.
    func nearness(on ground: ScreenGround) -> Double {
        guard let copies = WorldCopies(ground) else { return 0 }
        return ground.point(at: copies.offset(of: place)).down
    }

    /// Returns the shapes of the marker in all visible copies of the world.
    func shapes(on ground: ScreenGround) -> [OverlayShape] {
        guard size > 0, size.isFinite, let copies = WorldCopies(ground) else { return [] }
        let scale = size * ground.scale
        let offset = copies.offset(of: place)
        let margin = 2 * (Self.rise + Self.radius) * size / ground.worldSize
        return copies.shifts(offset.x...offset.x, margin: margin).flatMap { shift -> [OverlayShape] in
            let point = ground.point(at: WorldPoint(x: offset.x + shift, y: offset.y))
            return ground.pixel(of: point).map { shapes(tip: $0, scale) } ?? []
        }
    }

    private func shapes(tip: Point, _ scale: Double) -> [OverlayShape] {
        let drop = Self.drop(tip: tip, scale, grown: 0)
        let rim = Self.drop(tip: tip, scale, grown: 1)
        let head = Point(x: tip.x, y: tip.y - Self.rise * scale)
        let white = RGBA(red: 255, green: 255, blue: 255)
        let shapes = [
            OverlayShape(
                path: Self.shadow(tip: tip, scale), width: nil, color: RGBA(red: 0, green: 0, blue: 0, alpha: 56)),
            OverlayShape(path: rim, width: nil, color: white),
            OverlayShape(path: drop, width: nil, color: color),
        ]
        let ink = isLight ? RGBA(red: 0x22, green: 0x22, blue: 0x22) : white
        let text = label.map { $0.prefix(Self.mostCharacters) } ?? ""
        guard text.contains(where: { !$0.isWhitespace }) else {
            var dot = Path()
            dot.addArc(center: head, radiusX: 4 * scale, radiusY: 4 * scale, from: 0, to: 2 * .pi)
            return shapes + [OverlayShape(path: dot, width: nil, color: ink)]
        }
        let font = Self.font(for: String(text), scale)
        let origin = Point(x: head.x - font.width(of: String(text)) / 2, y: head.y + font.capHeight / 2)
        let letters = font.path(for: String(text), at: font.aligned(origin))
        return shapes + [OverlayShape(path: letters, width: nil, color: ink)]
    }

    /// Maximum number of characters of a label that are drawn. More would be too small to read in the head.
    package static let mostCharacters = 3

    /// Returns the font for `text` in the head of the marker. For a pin of size 1, the font has 15 points, or fewer if
    /// `text` would be too wide, but at least 1 point. `scale` is the number of pixels per point, times the pin's size.
    private static func font(for text: String, _ scale: Double) -> Font {
        let largest = Font(size: 15 * scale)
        let room = 1.6 * radius * scale
        let width = largest.width(of: text)
        return width <= room ? largest : Font(size: max(15 * scale * room / width, scale))
    }

    /// True if the pin is so light that dark ink is easier to see on it than white ink. The test uses a weighted sum of
    /// the sRGB values.
    private var isLight: Bool {
        299 * Int(color.red) + 587 * Int(color.green) + 114 * Int(color.blue) > 160 * 1000
    }

    /// Returns the outline of the marker: a circle and the two tangents from the circle to the tip. For a pin of size
    /// 1, the outline is `grown` points outside the circle and the tangents.
    private static func drop(tip: Point, _ scale: Double, grown: Double) -> Path {
        let radius = (Self.radius + grown) * scale
        let rise = Self.rise * scale
        // The angle between the downward direction and the points at which the tangents leave the circle.
        let angle = acos((Self.radius * scale) / rise)
        let (start, end) = (Double.pi / 2 + angle, 5 * Double.pi / 2 - angle)
        let center = Point(x: tip.x, y: tip.y - rise)
        let points = (0...48).map { step in
            let turn = start + (end - start) * Double(step) / 48
            return Point(x: center.x + radius * cos(turn), y: center.y + radius * sin(turn))
        }
        // Moves the tip of the rim, so that the rim is equally wide along the tangents and along the circle.
        let tipRise = radius / (Self.radius * scale) * rise - rise
        return Path(points + [Point(x: tip.x, y: tip.y + tipRise)])
    }

    /// Returns the shadow at the tip of the marker.
    private static func shadow(tip: Point, _ scale: Double) -> Path {
        var path = Path()
        path.addArc(center: tip, radiusX: 6 * scale, radiusY: 2.5 * scale, from: 0, to: 2 * .pi)
        return path
    }
}
