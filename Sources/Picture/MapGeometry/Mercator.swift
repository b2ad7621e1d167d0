import Foundation

/// The Mercator projection, which maps the globe to a flat square with a side of 1 (docs/spec/model.md 2.1).
public enum Mercator {
    /// The side of a tile in points; the world at zoom 0 is one tile.
    public static let tilePoints = 256.0

    /// The latitude of the square's upper edge, in degrees: atan(sinh(π)).
    public static let maxLatitude = atan(sinh(Double.pi)) * 180 / .pi

    /// The radius of EPSG:3857's sphere, in metres.
    public static let sphereRadius = 6_378_137.0

    /// Returns the position of `coordinate` in the world. Latitudes beyond ±`maxLatitude` are clamped. Longitudes
    /// beyond ±180 give an x outside 0…1, in a neighbouring copy of the world.
    public static func project(_ coordinate: Coordinate) -> WorldPoint {
        WorldPoint(x: (coordinate.longitude + 180) / 360, y: y(atLatitude: coordinate.latitude))
    }

    /// Returns the y of `latitude`. asinh(tan φ) equals ln((1 + sin φ) / (1 - sin φ)) / 2. The logarithm loses digits
    /// near the poles, where 1 - sin φ is a small difference. At 85° a projection and its inverse lost three times as
    /// much with the logarithm.
    private static func y(atLatitude latitude: Double) -> Double {
        // Rounding would miss the exact edge.
        guard abs(latitude) < maxLatitude else { return latitude > 0 ? 0 : 1 }
        return 0.5 - asinh(tan(latitude * .pi / 180)) / (2 * .pi)
    }

    /// Returns the place at `point`. This function is the inverse of `project(_:)` within the world and its copies to
    /// the east and west.
    public static func unproject(_ point: WorldPoint) -> Coordinate {
        Coordinate(validLatitude: latitude(atY: point.y), longitude: 360 * point.x - 180)
    }

    /// Returns the latitude in degrees at `y` in the world, where 0 is the northern edge.
    public static func latitude(atY y: Double) -> Double {
        atan(sinh(.pi * (1 - 2 * y))) * 180 / .pi
    }

    /// Returns the world's width in points at `zoom`: 256 · 2^zoom. The zoom may be fractional.
    public static func worldSize(zoom: Double) -> Double {
        tilePoints * exp2(zoom)
    }

    /// Returns the length on the screen, in points, of one metre on the ground at `coordinate` and zoom 0. The formula
    /// is 256 / (2πR · cos(latitude)), where R is the mean radius of the earth. Latitudes beyond the world's edge are
    /// clamped to the edge.
    static func pointsPerMetre(at coordinate: Coordinate) -> Double {
        let latitude = coordinate.latitude.clamped(to: -maxLatitude...maxLatitude)
        return tilePoints / (2 * .pi * Sphere.radius * cos(latitude.radians))
    }
}

/// A place on the square Mercator map, which is called the world. The north-west corner is (0, 0), and the south-east
/// corner is (1, 1).
public struct WorldPoint: Hashable, Sendable {
    /// The position eastwards, in [0, 1] within the world itself.
    public let x: Double
    /// The position southwards, in [0, 1] within the world.
    public let y: Double

    /// Creates the place at (`x`, `y`). The values are not checked.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}
