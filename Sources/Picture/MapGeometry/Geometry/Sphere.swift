import Foundation

/// Distances and directions along great circles of the earth, taken as a sphere (docs/spec/model.md 10).
public enum Sphere {
    /// The mean radius of the earth in metres, the SDK's kGMSEarthRadius.
    public static let radius = 6_371_009.0

    /// Metres between two places, by the haversine formula.
    public static func distance(from start: Coordinate, to end: Coordinate) -> Double {
        let (first, second) = (start.latitude.radians, end.latitude.radians)
        let across = sin(eastwards(from: start, to: end) / 2)
        let along = sin((second - first) / 2)
        let haversine = along * along + cos(first) * cos(second) * across * across
        return 2 * radius * asin(min(1, haversine.squareRoot()))
    }

    /// The direction in which the shortest way from `start` to `end` sets out: degrees clockwise from north in [0, 360);
    /// 0 if the two are one place.
    public static func heading(from start: Coordinate, to end: Coordinate) -> Double {
        let (first, second) = (start.latitude.radians, end.latitude.radians)
        let across = eastwards(from: start, to: end)
        let east = sin(across) * cos(second)
        let north = cos(first) * sin(second) - sin(first) * cos(second) * cos(across)
        return atan2(east, north).degrees.modulo(360)
    }

    /// The place `metres` away from `start` for someone who sets out at `heading`, degrees clockwise from north. The
    /// longitude is in [-180, 180). Throws `notFinite` for numbers that are none.
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

    /// The place at `fraction` of the shortest way: 0 is `start`, 1 is `end`, up to rounding. The longitude is in
    /// [-180, 180). Throws `notFinite` for a fraction that is none.
    public static func interpolate(
        from start: Coordinate, to end: Coordinate, fraction: Double
    ) throws(CameraError) -> Coordinate {
        let metres = try fraction.finite(.fraction) * distance(from: start, to: end)
        guard metres.isFinite else { throw .outOfRange(.fraction, fraction, 0...1) }
        return try offset(from: start, metres: metres, heading: heading(from: start, to: end))
    }

    /// The difference of longitudes in radians, in [-π, π].
    static func eastwards(from start: Coordinate, to end: Coordinate) -> Double {
        (end.longitude.wrappedLongitude - start.longitude.wrappedLongitude).remainder(dividingBy: 360).radians
    }
}
