import MapGeometry

/// A box in the Mercator world of side 1, edges inside.
struct GeoJSONBox: Equatable, Sendable {
    var left: Double
    var top: Double
    var right: Double
    var bottom: Double

    /// A box without any point, to be extended.
    static let nothing = GeoJSONBox(left: .infinity, top: .infinity, right: -.infinity, bottom: -.infinity)
}

extension GeoJSONBox {
    init(around points: some Sequence<WorldPoint>) {
        self = .nothing
        for point in points { extend(to: point) }
    }

    mutating func extend(to point: WorldPoint) {
        left = min(left, point.x)
        top = min(top, point.y)
        right = max(right, point.x)
        bottom = max(bottom, point.y)
    }

    mutating func extend(to box: GeoJSONBox) {
        left = min(left, box.left)
        top = min(top, box.top)
        right = max(right, box.right)
        bottom = max(bottom, box.bottom)
    }

    /// The same, `turn` worlds to the east.
    func moved(by turn: Int) -> GeoJSONBox {
        GeoJSONBox(left: left + Double(turn), top: top, right: right + Double(turn), bottom: bottom)
    }

    /// Whether the two have a point in common.
    func meets(_ other: GeoJSONBox) -> Bool {
        left <= other.right && right >= other.left && top <= other.bottom && bottom >= other.top
    }

    /// Whether neither side is as long as `length`.
    func isSmaller(than length: Double) -> Bool { right - left < length && bottom - top < length }
}

extension GeographicBox {
    /// The box around all shapes; nil without any. It crosses the antimeridian where that makes it narrower and leaves
    /// out a third of the world at least: most of the world is better told from west to east.
    init?(of shapes: [GeoJSONShape]) {
        guard !shapes.isEmpty else { return nil }
        let box = shapes.reduce(into: GeoJSONBox.nothing) { $0.extend(to: $1.box) }
        // A single point gets a box of a few centimetres.
        let (low, high) = (Mercator.latitude(atY: box.bottom), Mercator.latitude(atY: box.top))
        let height = high - low < Self.least ? Self.least : 0
        let south = max(Self.degrees(low - height), -Self.highest)
        let north = min(Self.degrees(high + height), Self.highest)
        let (left, right) = Self.span(of: shapes, within: box)
        guard right - left < 1 else {
            self.init(west: -180, south: south, east: 180, north: north)
            return
        }
        let margin = (right - left) * 360 < Self.least ? Self.least : 0
        let start = max(Self.degrees(left * 360 - 180 - margin), -180)
        let end = Self.degrees(right * 360 - 180 + margin)
        let edges = (start, end > 180 ? end - 360 : end)
        let (west, east) = edges.0 == edges.1 ? (-180, 180) : edges
        self.init(west: west, south: south, east: east, north: north)
    }

    private static let least = 1e-6
    /// The last latitude of the Mercator world that has so many digits.
    private static let highest = 85.051128779

    /// As many digits as mean something.
    private static func degrees(_ degrees: Double) -> Double { (degrees * 1e9).rounded() / 1e9 }

    /// The shortest stretch of the equator over or under which all shapes are; begins in 0..<1.
    private static func span(of shapes: [GeoJSONShape], within box: GeoJSONBox) -> (left: Double, right: Double) {
        // The gap that is left around the antimeridian is the widest there can be.
        if box.right - box.left <= 0.5, box.right <= 1 { return (box.left, box.right) }
        let boxes = shapes.lazy.map { (left: $0.box.left, right: $0.box.right) }.sorted { $0.left < $1.left }
        var reached = boxes.reduce(0) { max($0, $1.right) } - 1
        // The gap around the antimeridian, which may be none, and the widest one.
        let outer = max(boxes[0].left - reached, 0)
        var (left, width) = (boxes[0].left, outer)
        for box in boxes {
            if box.left - reached > width { (left, width) = (box.left, box.left - reached) }
            reached = max(reached, box.right)
        }
        if width >= 1 / 3.0 || outer == width { return (left, left + 1 - width) }
        return box.right > 1 ? (0, 1) : (box.left, box.right)
    }
}
