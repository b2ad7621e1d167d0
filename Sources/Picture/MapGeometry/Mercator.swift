import Foundation

/// The Mercator projection of the sphere onto the unit square (docs/spec/model.md 2.1).
public enum Mercator {
    /// The side of a tile in points; the world at zoom 0 is one tile.
    public static let tilePoints = 256.0

    /// The latitude of the square's upper edge, in degrees: atan(sinh(π)).
    public static let maxLatitude = atan(sinh(Double.pi)) * 180 / .pi

    /// The radius of EPSG:3857's sphere, in metres.
    public static let sphereRadius = 6_378_137.0

    /// Where `coordinate` lies in the world. Latitudes beyond ±`maxLatitude` are clamped to it; longitudes beyond ±180
    /// give an x outside 0…1, in a neighbouring copy of the world.
    public static func project(_ coordinate: Coordinate) -> WorldPoint {
        WorldPoint(x: (coordinate.longitude + 180) / 360, y: y(atLatitude: coordinate.latitude))
    }

    /// asinh(tan φ) is ln((1 + sin φ) / (1 - sin φ)) / 2, which loses digits near the poles, where 1 - sin φ is a small
    /// difference: there and back it lost three times as much at 85°.
    private static func y(atLatitude latitude: Double) -> Double {
        // Exactly the edge, which rounding would miss.
        guard abs(latitude) < maxLatitude else { return latitude > 0 ? 0 : 1 }
        return 0.5 - asinh(tan(latitude * .pi / 180)) / (2 * .pi)
    }

    /// The place at `point`; the inverse of `project(_:)` within the world and its copies to the east and west.
    public static func unproject(_ point: WorldPoint) -> Coordinate {
        Coordinate(validLatitude: latitude(atY: point.y), longitude: 360 * point.x - 180)
    }

    /// Degrees of latitude at the world's `y`, 0 at the northern edge.
    public static func latitude(atY y: Double) -> Double {
        atan(sinh(.pi * (1 - 2 * y))) * 180 / .pi
    }

    /// The world's width in points at `zoom`, which may be fractional: 256 · 2^zoom.
    public static func worldSize(zoom: Double) -> Double {
        tilePoints * exp2(zoom)
    }

    /// Points on the screen for a metre on the ground at `coordinate` and zoom 0: 256 / (2πR · cos(latitude)), R the
    /// mean radius of the earth. Latitudes beyond the world's edge count as the edge.
    static func pointsPerMetre(at coordinate: Coordinate) -> Double {
        let latitude = coordinate.latitude.clamped(to: -maxLatitude...maxLatitude)
        return tilePoints / (2 * .pi * Sphere.radius * cos(latitude.radians))
    }
}

/// A place in the Mercator world, whose north-west corner is (0, 0) and whose south-east corner is (1, 1).
public struct WorldPoint: Hashable, Sendable {
    /// Eastwards; [0, 1) in the world itself.
    public let x: Double
    /// Southwards; [0, 1].
    public let y: Double

    /// The place at (`x`, `y`), which are not judged.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}
