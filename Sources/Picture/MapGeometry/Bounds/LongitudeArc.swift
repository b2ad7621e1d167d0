/// The longitudes from `west` eastwards to `east`, both included, in degrees.
struct LongitudeArc: Hashable, Sendable {
    /// Within ±180.
    let west: Double
    /// Within ±180; west of `west` when the arc crosses the antimeridian.
    let east: Double

    static let circle = LongitudeArc(west: -180, east: 180)
}

extension LongitudeArc {
    /// From `west` eastwards to `east`, which may be any finite longitudes: the whole circle if they are 360° or more
    /// apart as they stand.
    init(from west: Double, to east: Double) {
        if east - west >= 360 {
            self = .circle
        } else {
            self.init(west: west.wrappedLongitude, east: east.wrappedLongitude)
        }
    }

    /// The shorter of the two arcs between two longitudes; when they are exactly 180° apart, the one that goes east
    /// from the first (docs/spec/model.md ruling 10).
    init(between first: Double, and second: Double) {
        let (first, second) = (first.wrappedLongitude, second.wrappedLongitude)
        let eastwards = (second - first).modulo(360)
        if eastwards == 0 {
            // Both ±180: the same meridian, not the circle.
            self.init(west: first, east: first)
        } else if eastwards <= 180 {
            self.init(west: first, east: second)
        } else {
            self.init(west: second, east: first)
        }
    }

    /// Degrees, in [0, 360].
    var width: Double { east < west ? east - west + 360 : east - west }

    /// Degrees from `west` eastwards to `longitude`, in [0, 360).
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

    /// The narrowest arc that holds both, the circle if none does; of two equally wide the one that grows eastwards
    /// (docs/spec/model.md ruling 10).
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

    /// `longitude` itself where the arc holds it, else the nearer end; the eastern one of two equally near.
    func nearest(to longitude: Double) -> Double {
        let offset = offset(of: longitude)
        if offset <= width { return longitude }
        return offset - width <= 360 - offset ? east : west
    }
}
