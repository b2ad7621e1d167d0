/// The range of longitudes from `west` eastwards to `east`, both included, in degrees.
struct LongitudeArc: Hashable, Sendable {
    /// The western end, within ±180.
    let west: Double
    /// The eastern end, within ±180. `east` is less than `west` if the arc crosses the antimeridian.
    let east: Double

    static let circle = LongitudeArc(west: -180, east: 180)
}

extension LongitudeArc {
    /// Creates the arc from `west` eastwards to `east`, which may be any finite longitudes. If `east` is 360° or more
    /// above `west`, the arc is the whole circle.
    init(from west: Double, to east: Double) {
        if east - west >= 360 {
            self = .circle
        } else {
            self.init(west: west.wrappedLongitude, east: east.wrappedLongitude)
        }
    }

    /// Creates the shorter of the two arcs between two longitudes. If they are exactly 180° apart, the arc goes east
    /// from the first (docs/spec/model.md ruling 10).
    init(between first: Double, and second: Double) {
        let (first, second) = (first.wrappedLongitude, second.wrappedLongitude)
        let eastwards = (second - first).modulo(360)
        if eastwards == 0 {
            // 180 and -180 are the same meridian, so this arc must not become the whole circle.
            self.init(west: first, east: first)
        } else if eastwards <= 180 {
            self.init(west: first, east: second)
        } else {
            self.init(west: second, east: first)
        }
    }

    /// The width in degrees, in [0, 360].
    var width: Double { east < west ? east - west + 360 : east - west }

    /// Returns the degrees from `west` eastwards to `longitude`, in [0, 360).
    private func offset(of longitude: Double) -> Double {
        (longitude.wrappedLongitude - west).modulo(360)
    }

    func contains(_ longitude: Double) -> Bool {
        offset(of: longitude) <= width
    }

    private func contains(_ other: LongitudeArc) -> Bool {
        if width >= 360 { return true }
        if other.width >= 360 { return false }
        let (start, end) = (offset(of: other.west), offset(of: other.east))
        return start <= end && end <= width
    }

    func intersects(_ other: LongitudeArc) -> Bool {
        contains(other.west) || other.contains(west)
    }

    /// Returns the narrowest arc that contains both arcs, or the circle if no narrower arc does. If two arcs are
    /// equally wide, the result is the arc that grows eastwards (docs/spec/model.md ruling 10).
    func union(_ other: LongitudeArc) -> LongitudeArc {
        let candidates = [
            self, other, LongitudeArc(west: west, east: other.east), LongitudeArc(west: other.west, east: east),
        ]
        var best = LongitudeArc.circle
        for candidate in candidates where candidate.contains(self) && candidate.contains(other) {
            if candidate.width < best.width { best = candidate }
        }
        return best
    }

    /// Returns `longitude` itself if the arc contains it, else the nearer end of the arc. If both ends are equally
    /// near, the result is the eastern end.
    func nearest(to longitude: Double) -> Double {
        let offset = offset(of: longitude)
        if offset <= width { return longitude }
        return offset - width <= 360 - offset ? east : west
    }
}
