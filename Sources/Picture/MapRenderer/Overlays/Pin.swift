import Foundation
import MapGeometry
import Raster

/// A marker that stands upright in the image, its tip on a place.
public struct Pin: Hashable, Sendable {
    /// Where the tip stands.
    public var place: Coordinate
    /// Of the drop; the ink in it is dark or white, whichever is seen better.
    public var color: RGBA
    /// A character in its head; nil shows a dot.
    public var label: Character?
    /// How large it is; 1 is 36 points tall.
    public var size: Double

    /// A marker at `place`: red, with a dot, 36 points tall unless told otherwise. One whose size is not above 0 is not
    /// drawn.
    public init(
        at place: Coordinate, color: RGBA = RGBA(red: 0xD9, green: 0x3B, blue: 0x30), label: Character? = nil,
        size: Double = 1
    ) {
        self.place = place
        self.color = color
        self.label = label
        self.size = size
    }

    /// In points, of a pin of size 1: from the tip to the middle of the head, and the head's radius.
    private static let rise = 24.0
    private static let radius = 11.0

    /// How near it is to the viewer; what is nearer is drawn later.
    func nearness(on ground: ScreenGround) -> Double {
        guard let copies = WorldCopies(ground) else { return 0 }
        return ground.point(at: copies.offset(of: place)).down
    }

    /// The marker in all copies of the world that are in view.
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
        var shapes = [
            OverlayShape(
                path: Self.shadow(tip: tip, scale), width: nil, color: RGBA(red: 0, green: 0, blue: 0, alpha: 56)),
            OverlayShape(path: rim, width: nil, color: white),
            OverlayShape(path: drop, width: nil, color: color),
        ]
        let ink = isLight ? RGBA(red: 0x22, green: 0x22, blue: 0x22) : white
        guard let label, label != " " else {
            var dot = Path()
            dot.addArc(center: head, radiusX: 4 * scale, radiusY: 4 * scale, from: 0, to: 2 * .pi)
            return shapes + [OverlayShape(path: dot, width: nil, color: ink)]
        }
        let font = Font(size: 15 * scale, weight: 0.13)
        let text = String(label)
        let origin = Point(x: head.x - font.width(of: text) / 2, y: head.y + font.capHeight / 2)
        shapes.append(
            OverlayShape(path: font.path(for: text, at: font.aligned(origin)), width: font.weight, color: ink))
        return shapes
    }

    /// Whether dark ink is seen better on the pin than white (relative luminance of sRGB, without its curve).
    private var isLight: Bool {
        299 * Int(color.red) + 587 * Int(color.green) + 114 * Int(color.blue) > 160 * 1000
    }

    /// A circle, and the tangents from it to the tip; `grown` points larger all around.
    private static func drop(tip: Point, _ scale: Double, grown: Double) -> Path {
        let radius = (Self.radius + grown) * scale
        let rise = Self.rise * scale
        // Between the way down and the points where the tangents leave the circle.
        let angle = acos((Self.radius * scale) / rise)
        let (start, end) = (Double.pi / 2 + angle, 5 * Double.pi / 2 - angle)
        let center = Point(x: tip.x, y: tip.y - rise)
        let points = (0...48).map { step in
            let turn = start + (end - start) * Double(step) / 48
            return Point(x: center.x + radius * cos(turn), y: center.y + radius * sin(turn))
        }
        // The rim's tip is as far from the tangents as its circle from the circle.
        let tipRise = radius / (Self.radius * scale) * rise - rise
        return Path(points + [Point(x: tip.x, y: tip.y + tipRise)])
    }

    /// Where it stands.
    private static func shadow(tip: Point, _ scale: Double) -> Path {
        var path = Path()
        path.addArc(center: tip, radiusX: 6 * scale, radiusY: 2.5 * scale, from: 0, to: 2 * .pi)
        return path
    }
}
