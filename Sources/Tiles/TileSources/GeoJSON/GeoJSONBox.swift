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
