import Foundation

/// What the SDK computes of a path, a list of places joined by the shortest ways (docs/spec/model.md 10).
extension Sphere {
    /// Metres along `path`.
    public static func length(of path: [Coordinate]) -> Double {
        zip(path, path.dropFirst()).reduce(0) { $0 + distance(from: $1.0, to: $1.1) }
    }

    /// Square metres within the closed `path`.
    public static func area(of path: [Coordinate]) -> Double {
        signedArea(of: path).magnitude
    }

    /// Square metres within the closed `path`, positive where it runs counterclockwise around what it encloses, which
    /// does not hold the south pole.
    ///
    /// The sum of the triangles of each edge with the north pole, whose excess E follows from the sides a and b at the
    /// pole and the angle C between them: tan(E/2) = tan(a/2) tan(b/2) sin C / (1 + tan(a/2) tan(b/2) cos C).
    public static func signedArea(of path: [Coordinate]) -> Double {
        guard path.count > 2 else { return 0 }
        let excess = edges(ofClosed: path).reduce(0.0) { sum, edge in
            let product = halfPolarTangent(edge.start) * halfPolarTangent(edge.end)
            let across = eastwards(from: edge.start, to: edge.end)
            return sum + 2 * atan2(product * sin(across), 1 + product * cos(across))
        }
        return excess * radius * radius
    }

    /// Whether the closed `path` encloses `place`; the south pole is always outside. Edges are great circles if
    /// `geodesic`, else straight on the Mercator map.
    ///
    /// Counts the edges that the meridian from the place to the south pole crosses.
    public static func contains(_ place: Coordinate, in path: [Coordinate], geodesic: Bool = true) -> Bool {
        guard path.count > 2, place.latitude > -90 else { return false }
        return edges(ofClosed: path).reduce(false) { inside, edge in
            inside != crosses(edge.start, edge.end, southOf: place, geodesic: geodesic)
        }
    }

    /// Whether `place` lies on `path` or at most `tolerance` metres from it. Edges are great circles if `geodesic`, else
    /// straight on the Mercator map. Throws unless the tolerance is a number.
    public static func isOnPath(
        _ place: Coordinate, _ path: [Coordinate], tolerance: Double = 0.1, geodesic: Bool = true
    ) throws(CameraError) -> Bool {
        let tolerance = try tolerance.finite(.tolerance)
        if path.count == 1 { return distance(from: place, to: path[0]) <= tolerance }
        return zip(path, path.dropFirst()).contains { start, end in
            let nearest =
                geodesic
                ? nearestOnGreatCircle(to: place, from: start, to: end)
                : nearestOnStraightLine(to: place, from: start, to: end)
            return distance(from: place, to: nearest) <= tolerance
        }
    }

    private static func edges(ofClosed path: [Coordinate]) -> [(start: Coordinate, end: Coordinate)] {
        path.indices.map { (path[$0], path[$0 + 1 < path.count ? $0 + 1 : 0]) }
    }

    /// The tangent of half the angle between the north pole and `place`.
    private static func halfPolarTangent(_ place: Coordinate) -> Double {
        tan((.pi / 2 - place.latitude.radians) / 2)
    }

    /// Whether the edge crosses the meridian of `place` south of it; an end on the meridian counts as west of it.
    private static func crosses(
        _ start: Coordinate, _ end: Coordinate, southOf place: Coordinate, geodesic: Bool
    ) -> Bool {
        let first = eastwards(from: place, to: start)
        let last = eastwards(from: place, to: end)
        // An edge of more than half a turn goes the other way round, across the opposite meridian.
        guard (first > 0) != (last > 0), (last - first).magnitude <= .pi else { return false }
        return crossingLatitude(start, end, first: first, last: last, geodesic: geodesic) < place.latitude.radians
    }

    /// Where the edge meets the meridian from which its ends are `first` and `last` radians to the east.
    private static func crossingLatitude(
        _ start: Coordinate, _ end: Coordinate, first: Double, last: Double, geodesic: Bool
    ) -> Double {
        if geodesic {
            let sum = tan(start.latitude.radians) * sin(last) - tan(end.latitude.radians) * sin(first)
            return atan(sum / sin(last - first))
        }
        let fraction = -first / (last - first)
        let (south, north) = (Mercator.project(start).y, Mercator.project(end).y)
        return Mercator.latitude(atY: south + (north - south) * fraction).radians
    }
}
