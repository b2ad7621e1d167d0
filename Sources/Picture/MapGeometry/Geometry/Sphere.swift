import Foundation

/// Computes distances, directions and areas on the ground (docs/spec/model.md 10). The earth is treated as a sphere.
/// The shortest way between two places is part of a great circle.
public enum Sphere {
    /// The mean radius of the earth in metres, the SDK's kGMSEarthRadius.
    public static let radius = 6_371_009.0

    /// Returns the distance between two places in metres, by the haversine formula.
    public static func distance(from start: Coordinate, to end: Coordinate) -> Double {
        let (first, second) = (start.latitude.radians, end.latitude.radians)
        let across = sin(eastwards(from: start, to: end) / 2)
        let along = sin((second - first) / 2)
        let haversine = along * along + cos(first) * cos(second) * across * across
        return 2 * radius * asin(min(1, haversine.squareRoot()))
    }

    /// Returns the direction at `start` of the shortest path to `end`, in degrees clockwise from north, in [0, 360).
    /// Returns 0 if both places are equal.
    public static func heading(from start: Coordinate, to end: Coordinate) -> Double {
        let (first, second) = (start.latitude.radians, end.latitude.radians)
        let across = eastwards(from: start, to: end)
        let east = sin(across) * cos(second)
        let north = cos(first) * sin(second) - sin(first) * cos(second) * cos(across)
        return atan2(east, north).degrees.modulo(360)
    }

    /// Returns the place that is `metres` away from `start` in the direction `heading`, in degrees clockwise from
    /// north. The longitude of the result is in [-180, 180). Throws `notFinite` for NaN and infinities.
    public static func offset(
        from start: Coordinate, metres: Double, heading: Double
    ) throws(CameraError) -> Coordinate {
        let angle = try (metres.finite(.meters) / radius).remainder(dividingBy: 2 * .pi)
        let direction = try heading.finite(.heading).modulo(360).radians
        let latitude = start.latitude.radians
        let sine = sin(latitude) * cos(angle) + cos(latitude) * sin(angle) * cos(direction)
        let across = atan2(sin(direction) * sin(angle) * cos(latitude), cos(angle) - sin(latitude) * sine)
        let longitude = (start.longitude.wrappedLongitude + across.degrees).wrappedLongitude
        return Coordinate(
            validLatitude: asin(sine.clamped(to: -1...1)).degrees, longitude: longitude == 180 ? -180 : longitude)
    }

    /// Returns the place at `fraction` of the shortest path, where 0 is `start` and 1 is `end`, up to rounding. The
    /// longitude of the result is in [-180, 180). Throws `notFinite` if the fraction is NaN or infinite, and
    /// `outOfRange` if it is too large.
    public static func interpolate(
        from start: Coordinate, to end: Coordinate, fraction: Double
    ) throws(CameraError) -> Coordinate {
        let metres = try fraction.finite(.fraction) * distance(from: start, to: end)
        guard metres.isFinite else { throw .outOfRange(.fraction, fraction, 0...1) }
        return try offset(from: start, metres: metres, heading: heading(from: start, to: end))
    }

    /// Returns the difference of the longitudes in radians, in [-π, π].
    static func eastwards(from start: Coordinate, to end: Coordinate) -> Double {
        (end.longitude.wrappedLongitude - start.longitude.wrappedLongitude).remainder(dividingBy: 360).radians
    }

    // The SDK's functions on paths (docs/spec/model.md 10). A path is a list of places.

    /// Returns the length of `path` in metres.
    public static func length(of path: [Coordinate]) -> Double {
        zip(path, path.dropFirst()).reduce(0) { $0 + distance(from: $1.0, to: $1.1) }
    }

    /// Returns the area within the closed `path` in square metres.
    public static func area(of path: [Coordinate]) -> Double {
        signedArea(of: path).magnitude
    }

    /// Returns the area within the closed `path` in square metres. The area is positive if the path runs
    /// counterclockwise around the enclosed area, which does not contain the south pole.
    ///
    /// Each edge forms a triangle with the north pole, and the function adds up the areas of these triangles. The
    /// spherical excess E of a triangle follows from the sides a and b at the pole and the angle C between them:
    /// tan(E/2) = tan(a/2) tan(b/2) sin C / (1 + tan(a/2) tan(b/2) cos C).
    public static func signedArea(of path: [Coordinate]) -> Double {
        guard path.count > 2 else { return 0 }
        let excess = edges(ofClosed: path).reduce(0.0) { sum, edge in
            let product = halfPolarTangent(edge.start) * halfPolarTangent(edge.end)
            let across = eastwards(from: edge.start, to: edge.end)
            return sum + 2 * atan2(product * sin(across), 1 + product * cos(across))
        }
        return excess * radius * radius
    }

    /// Reports whether the closed `path` encloses `place`. The south pole is always outside. Edges are great circles if
    /// `geodesic` is true, else straight lines on the Mercator map.
    ///
    /// The function counts the edges that cross the meridian between the place and the south pole. The place is inside
    /// if this number is odd.
    public static func contains(_ place: Coordinate, in path: [Coordinate], geodesic: Bool = true) -> Bool {
        guard path.count > 2, place.latitude > -90 else { return false }
        return edges(ofClosed: path).reduce(false) { inside, edge in
            inside != crosses(edge.start, edge.end, southOf: place, geodesic: geodesic)
        }
    }

    /// Reports whether the distance between `place` and the line `path` is at most `tolerance` metres. If `geodesic` is
    /// true, the line follows great circles. Otherwise, its parts are straight on the Mercator map. Throws `notFinite`
    /// if the tolerance is NaN or infinite.
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

    /// Returns the tangent of half the angle between the north pole and `place`.
    private static func halfPolarTangent(_ place: Coordinate) -> Double {
        tan((.pi / 2 - place.latitude.radians) / 2)
    }

    /// Reports whether the edge crosses the meridian of `place` south of the place. An end on the meridian counts as
    /// west of it.
    private static func crosses(
        _ start: Coordinate, _ end: Coordinate, southOf place: Coordinate, geodesic: Bool
    ) -> Bool {
        let first = eastwards(from: place, to: start)
        let last = eastwards(from: place, to: end)
        // If the ends are more than half a turn apart, the edge runs the other way round the earth and crosses the
        // opposite meridian.
        guard (first > 0) != (last > 0), (last - first).magnitude <= .pi else { return false }
        return crossingLatitude(start, end, first: first, last: last, geodesic: geodesic) < place.latitude.radians
    }

    /// Returns the latitude in radians at which the edge crosses a meridian. `first` and `last` are the longitudes of
    /// the edge's ends, in radians east of this meridian.
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

    /// Finds the place on a line that is nearest to `place`. The line is the shortest way on the ground from `start` to
    /// `end`, which is an arc of a great circle.
    static func nearestOnGreatCircle(to place: Coordinate, from start: Coordinate, to end: Coordinate) -> Coordinate {
        let (first, last, point) = (Direction(start), Direction(end), Direction(place))
        let normal = first.cross(last)
        let length = normal.dot(normal)
        if length > 1e-30 {
            let height = normal.dot(point) / length
            let foot = Direction(
                x: point.x - normal.x * height, y: point.y - normal.y * height, z: point.z - normal.z * height)
            if first.cross(foot).dot(normal) >= 0, foot.cross(last).dot(normal) >= 0 { return foot.coordinate }
        }
        return distance(from: place, to: start) <= distance(from: place, to: end) ? start : end
    }

    /// Finds the place on a line that is nearest to `place`. The line from `start` to `end` is straight on the Mercator
    /// map. The function computes the nearest place on the map. For short distances this is also the nearest place on
    /// the ground, because the Mercator projection does not change small shapes.
    static func nearestOnStraightLine(to place: Coordinate, from start: Coordinate, to end: Coordinate) -> Coordinate {
        let (first, point) = (MapPoint(start), MapPoint(place))
        let way = first.offset(to: MapPoint(end))
        // Uses the copy of the place that is nearest to the middle of the line, because the line may cross the date
        // line.
        let direct = point.x - first.x - way.x / 2
        let across = direct - 2 * (direct / 2).rounded() + way.x / 2
        let length = way.x * way.x + way.y * way.y
        let along = length > 0 ? (across * way.x + (point.y - first.y) * way.y) / length : 0
        let fraction = along.clamped(to: 0...1)
        let longitude = (first.x + way.x * fraction) * 180
        return Coordinate(
            validLatitude: Mercator.latitude(atY: (1 - first.y - way.y * fraction) / 2),
            longitude: longitude.wrappedLongitude)
    }
}

/// A vector from the middle of the earth, of any length.
private struct Direction {
    let x: Double
    let y: Double
    let z: Double
}

extension Direction {
    init(_ place: Coordinate) {
        let (latitude, longitude) = (place.latitude.radians, place.longitude.wrappedLongitude.radians)
        self.init(x: cos(latitude) * cos(longitude), y: cos(latitude) * sin(longitude), z: sin(latitude))
    }

    var coordinate: Coordinate {
        Coordinate(validLatitude: atan2(z, hypot(x, y)).degrees, longitude: atan2(y, x).degrees)
    }

    func dot(_ other: Direction) -> Double { x * other.x + y * other.y + z * other.z }

    func cross(_ other: Direction) -> Direction {
        Direction(
            x: y * other.z - z * other.y, y: z * other.x - x * other.z, z: x * other.y - y * other.x)
    }
}
