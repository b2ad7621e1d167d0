import MapGeometry

/// A box in the Mercator world of side 1. The edges belong to the box.
struct GeoJSONBox: Equatable, Sendable {
    var left: Double
    var top: Double
    var right: Double
    var bottom: Double

    /// A box without any point, for extending.
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

    /// Returns the box, moved `turn` worlds to the east.
    func moved(by turn: Int) -> GeoJSONBox {
        GeoJSONBox(left: left + Double(turn), top: top, right: right + Double(turn), bottom: bottom)
    }

    /// Reports whether the two boxes have a point in common.
    func meets(_ other: GeoJSONBox) -> Bool {
        left <= other.right && right >= other.left && top <= other.bottom && bottom >= other.top
    }

    /// Reports whether the width and the height are both less than `length`.
    func isSmaller(than length: Double) -> Bool { right - left < length && bottom - top < length }
}

extension GeographicBox {
    /// Makes a box around all shapes. Returns nil if there are no shapes.
    ///
    /// The box leaves out the widest gap between the shapes if this gap is at least a third of the world, or if it lies
    /// around the antimeridian. Otherwise the box does not cross the antimeridian, which is easier to read.
    init?(of shapes: [GeoJSONShape]) {
        guard !shapes.isEmpty else { return nil }
        let box = shapes.reduce(into: GeoJSONBox.nothing) { $0.extend(to: $1.box) }
        // The box of a single point gets a size of about 20 centimetres.
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
    /// The largest latitude of the Mercator world with this number of digits.
    private static let highest = 85.051128779

    /// Rounds to nine decimal places.
    private static func degrees(_ degrees: Double) -> Double { (degrees * 1e9).rounded() / 1e9 }

    /// Returns a range of longitudes that contains all shapes. The values are fractions of the world's width. The range
    /// begins in 0..<1.
    private static func span(of shapes: [GeoJSONShape], within box: GeoJSONBox) -> (left: Double, right: Double) {
        // The gap around the antimeridian is then the widest possible one.
        if box.right - box.left <= 0.5, box.right <= 1 { return (box.left, box.right) }
        let boxes = shapes.lazy.map { (left: $0.box.left, right: $0.box.right) }.sorted { $0.left < $1.left }
        var reached = boxes.reduce(0) { max($0, $1.right) } - 1
        // The gap around the antimeridian, which may be 0, and the widest gap.
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
