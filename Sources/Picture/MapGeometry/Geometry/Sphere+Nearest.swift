import Foundation

extension Sphere {
    /// The place nearest to `place` on the great circle's arc between two others.
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

    /// The place nearest to `place` on the Mercator map's straight line between two others. The map keeps shapes, so
    /// that what is nearest there is nearest on the ground as long as it is near.
    static func nearestOnStraightLine(to place: Coordinate, from start: Coordinate, to end: Coordinate) -> Coordinate {
        let (first, point) = (MapPoint(start), MapPoint(place))
        let way = first.offset(to: MapPoint(end))
        // The place's copy on the line's side of the date line: the one nearest to the middle of the line.
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

/// A direction from the middle of the earth, of any length.
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
