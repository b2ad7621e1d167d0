import MapGeometry
import Raster

/// A place on the ground, as the camera sees it.
struct GroundPoint: Sendable {
    /// Points to the right and downwards of the target, before the tilt.
    let right: Double
    let down: Double
    /// Points along the line of sight from the camera; what is not above 0 lies behind it.
    let depth: Double
}

extension ScreenGround {
    /// The least depth, as a part of the camera's distance, that is projected: nearer ground lies far below the view.
    private static let leastDepth = 0.1

    /// The ground at `offset` from the target, in worlds.
    func point(at offset: WorldPoint) -> GroundPoint {
        let (east, south) = (offset.x * worldSize, offset.y * worldSize)
        let down = south * bearing.cosine - east * bearing.sine
        return GroundPoint(
            right: east * bearing.cosine + south * bearing.sine, down: down, depth: distance - down * tilt.sine)
    }

    /// Where it is seen, in pixels from the image's upper left corner; nil behind the camera, or just before it.
    func pixel(of point: GroundPoint) -> Point? {
        guard point.depth >= Self.leastDepth * distance else { return nil }
        let factor = distance / point.depth * scale
        return Point(
            x: center.x * scale + point.right * factor, y: center.y * scale + point.down * tilt.cosine * factor)
    }

    /// Where the straight way between two points, of which one is seen and one is not, comes into view.
    func border(_ first: GroundPoint, _ second: GroundPoint) -> GroundPoint {
        // A little farther, so that rounding cannot put it behind.
        let wanted = Self.leastDepth * distance * 1.001
        let part = min(max((wanted - first.depth) / (second.depth - first.depth), 0), 1)
        return GroundPoint(
            right: first.right + (second.right - first.right) * part,
            down: first.down + (second.down - first.down) * part, depth: max(wanted, 0))
    }

    /// The westernmost and easternmost ground in the image, in worlds from the target; nil where none is seen.
    var span: ClosedRange<Double>? {
        guard let near = row(at: Double(height)),
            let top = (0..<height).firstIndex(where: { row(at: Double($0)) != nil }),
            let far = row(at: Double(top))
        else { return nil }
        let xs = [near, far].flatMap { [$0.offset(at: 0).x, $0.offset(at: Double(width)).x] }
        return xs.reduce(xs[0]) { min($0, $1) }...xs.reduce(xs[0]) { max($0, $1) }
    }
}
