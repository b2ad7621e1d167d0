import MapGeometry
import Raster

/// A line or an area on the ground, whose edges are straight on the Mercator map and go the short way around the world.
public struct GroundPath: Hashable, Sendable {
    /// The places it leads through; latitudes beyond the map's edge count as the edge.
    public var places: [Coordinate]
    /// Whether it leads back to the first place.
    public var isClosed: Bool
    /// How the line is drawn; nil draws none.
    public var stroke: Stroke?
    /// What fills the area inside, closed or not; nil leaves it open.
    public var fill: RGBA?

    /// A line of a width that is the same near and far.
    public struct Stroke: Hashable, Sendable {
        /// Of the line.
        public var color: RGBA
        /// Points.
        public var width: Double

        /// A line of `color`, `width` points wide.
        public init(color: RGBA, width: Double) {
            self.color = color
            self.width = width
        }
    }

    /// A line through `places`, or an area where there is a `fill`.
    public init(_ places: [Coordinate], isClosed: Bool = false, stroke: Stroke?, fill: RGBA? = nil) {
        self.places = places
        self.isClosed = isClosed
        self.stroke = stroke
        self.fill = fill
    }

    /// The area, and above it the line, in all copies of the world that are in view.
    func shapes(on ground: ScreenGround) -> [OverlayShape] {
        guard let copies = WorldCopies(ground) else { return [] }
        let line = copies.line(through: isClosed ? places + places.prefix(1) : places)
        let xs = line.map(\.x)
        guard let west = xs.min(), let east = xs.max() else { return [] }
        // A thick line is seen from beyond the view.
        let margin = (stroke?.width ?? 0) / ground.worldSize
        let lines = copies.shifts(west...east, margin: margin).map { shift in
            line.map { ground.point(at: WorldPoint(x: $0.x + shift, y: $0.y)) }
        }
        var shapes: [OverlayShape] = []
        if let fill {
            let areas = lines.map { ground.area($0) }
            shapes += areas.map { OverlayShape(path: Path($0), width: nil, color: fill) }
        }
        if let stroke {
            var path = Path()
            for line in lines { for part in ground.parts(of: line) { path.add(part) } }
            shapes.append(OverlayShape(path: path, width: stroke.width * ground.scale, color: stroke.color))
        }
        return shapes
    }
}

extension ScreenGround {
    /// The parts of a line that lie before the camera, in pixels. Straight lines on the ground are straight in the image.
    fileprivate func parts(of line: [GroundPoint]) -> [[Point]] {
        var parts: [[Point]] = []
        var part: [Point] = []
        var previous: GroundPoint?
        for point in line {
            let pixel = pixel(of: point)
            if let previous, (pixel == nil) != part.isEmpty, let crossing = self.pixel(of: border(previous, point)) {
                part.append(crossing)
            }
            if let pixel {
                part.append(pixel)
            } else if !part.isEmpty {
                parts.append(part)
                part = []
            }
            previous = point
        }
        if !part.isEmpty { parts.append(part) }
        return parts
    }

    /// The part of an area that lies before the camera, in pixels.
    fileprivate func area(_ outline: [GroundPoint]) -> [Point] {
        guard var previous = outline.last else { return [] }
        var area: [Point] = []
        for point in outline {
            let (from, to) = (pixel(of: previous), pixel(of: point))
            if (from == nil) != (to == nil), let crossing = pixel(of: border(previous, point)) { area.append(crossing) }
            if let to { area.append(to) }
            previous = point
        }
        return area
    }
}

/// Where places of the globe lie as seen from a camera's target: in worlds, in each copy of the world that is in view.
struct WorldCopies {
    private let target: WorldPoint
    private let span: ClosedRange<Double>

    /// The most copies to each side; those further out are less than a pixel wide.
    private static let most = 64.0

    /// Nil where no ground is in view.
    init?(_ ground: ScreenGround) {
        guard let span = ground.span else { return nil }
        target = ground.target
        self.span = span
    }

    /// `place` from the target, in the nearest copy.
    func offset(of place: Coordinate) -> WorldPoint {
        let point = Mercator.project(place)
        let x = point.x - target.x
        return WorldPoint(x: x - (x + 0.5).rounded(.down), y: point.y - target.y)
    }

    /// The line through `places`, from the target: the first in the nearest copy, each other the short way from the one
    /// before.
    func line(through places: [Coordinate]) -> [WorldPoint] {
        var line: [WorldPoint] = []
        for place in places {
            let point = offset(of: place)
            guard let last = line.last else {
                line.append(point)
                continue
            }
            let across = point.x - last.x
            line.append(WorldPoint(x: last.x + across - across.rounded(), y: point.y))
        }
        return line
    }

    /// By how many worlds to move what spans `xs` so that it is in view, give or take `margin` worlds.
    func shifts(_ xs: ClosedRange<Double>, margin: Double = 0) -> [Double] {
        let first = (span.lowerBound - margin - xs.upperBound).rounded(.up)
        let last = (span.upperBound + margin - xs.lowerBound).rounded(.down)
        let (low, high) = (max(first, -Self.most), min(last, Self.most))
        return low <= high ? Array(stride(from: low, through: high, by: 1)) : []
    }
}
