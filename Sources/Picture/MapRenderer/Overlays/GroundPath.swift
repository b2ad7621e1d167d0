import MapGeometry
import Raster

/// A line or an area that is drawn on the ground. It connects places by lines that are straight on the Mercator map.
/// Each line takes the shorter direction around the world.
public struct GroundPath: Hashable, Sendable {
    /// The places that the path connects. Latitudes beyond the map's edge are clamped to the edge.
    public var places: [Coordinate]
    /// True if the path returns to its first place.
    public var isClosed: Bool
    /// The style of the line, or nil for no line.
    public var stroke: Stroke?
    /// The colour of the enclosed area, or nil for no fill. A path that is not closed is filled too.
    public var fill: RGBA?

    /// The colour and the width of a line. The line has the same width near the camera and far away.
    public struct Stroke: Hashable, Sendable {
        /// The colour of the line.
        public var color: RGBA
        /// The width of the line, in points.
        public var width: Double

        /// Creates the style of a line of `color` that is `width` points wide.
        public init(color: RGBA, width: Double) {
            self.color = color
            self.width = width
        }
    }

    /// Creates a line through `places`. With a `fill`, the path is an area.
    public init(_ places: [Coordinate], isClosed: Bool = false, stroke: Stroke?, fill: RGBA? = nil) {
        self.places = places
        self.isClosed = isClosed
        self.stroke = stroke
        self.fill = fill
    }

    /// Returns the shapes to draw for this path, for all visible copies of the world. The line is drawn over the area,
    /// so its shape comes last.
    func shapes(on ground: ScreenGround) -> [OverlayShape] {
        guard let copies = WorldCopies(ground) else { return [] }
        let line = copies.line(through: isClosed ? places + places.prefix(1) : places)
        let xs = line.map(\.x)
        guard let west = xs.min(), let east = xs.max() else { return [] }
        // A thick line is visible even if its middle lies outside the view.
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
    /// Returns the parts of a line that are in front of the camera, as positions in the image. A straight line on the
    /// ground is straight in the image too, so only the ends of each straight piece are converted.
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

    /// Returns the part of an area in front of the camera, in pixels.
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

/// Converts places to positions relative to the camera's target, in the visible copies of the world, at most 64 on
/// each side. The unit is the width of the world.
struct WorldCopies {
    private let target: WorldPoint
    private let span: ClosedRange<Double>

    /// The maximum number of copies on each side. Copies farther away are not drawn.
    private static let most = 64.0

    /// Creates the copies for `ground`. Returns nil if no ground is visible.
    init?(_ ground: ScreenGround) {
        guard let span = ground.span else { return nil }
        target = ground.target
        self.span = span
    }

    /// Returns the vector from the target to `place`, in the copy nearest to the target.
    func offset(of place: Coordinate) -> WorldPoint {
        let point = Mercator.project(place)
        let x = point.x - target.x
        return WorldPoint(x: x - (x + 0.5).rounded(.down), y: point.y - target.y)
    }

    /// Returns the line through `places`, relative to the target. The first place is in the nearest copy of the world.
    /// From each place to the next, the line takes the shorter direction.
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

    /// Returns the numbers of worlds by which to move a shape so that it is visible. The shape spans `xs`. A shape at
    /// most `margin` worlds outside the view counts as visible.
    func shifts(_ xs: ClosedRange<Double>, margin: Double = 0) -> [Double] {
        let first = (span.lowerBound - margin - xs.upperBound).rounded(.up)
        let last = (span.upperBound + margin - xs.lowerBound).rounded(.down)
        let (low, high) = (max(first, -Self.most), min(last, Self.most))
        return low <= high ? Array(stride(from: low, through: high, by: 1)) : []
    }
}
