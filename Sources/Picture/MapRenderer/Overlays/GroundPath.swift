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
