import Foundation
import MapGeometry
import Raster

/// Computes which part of the ground each row of an image shows (docs/spec/model.md 9.1).
///
/// The camera is never tilted sideways, so all pixels of a row have the same depth. Equal steps along a row are
/// therefore equal steps on the ground.
struct ScreenGround: Sendable {
    let target: WorldPoint
    /// The width and height in pixels.
    let width: Int
    let height: Int
    let center: ScreenPoint
    let scale: Double
    let distance: Double
    let worldSize: Double
    let bearing: (sine: Double, cosine: Double)
    let tilt: (sine: Double, cosine: Double)

    /// The smallest allowed ratio of the target's depth to the depth of the ground. Ground with a smaller ratio is too
    /// near the horizon and is not drawn.
    private static let leastNearness = 0x1p-20

    /// Creates the ground of `projection`. `scale` is the number of pixels per point.
    init(_ projection: Projection, scale: Int) {
        let viewport = projection.viewport
        target = projection.target
        width = Self.pixels(viewport.width, scale)
        height = Self.pixels(viewport.height, scale)
        center = viewport.center
        self.scale = Double(scale)
        distance = projection.distance
        worldSize = projection.worldSize
        (bearing, tilt) = (projection.bearing, projection.tilt)
    }

    private static func pixels(_ points: Double, _ scale: Int) -> Int {
        Int(min(max((points * Double(scale)).rounded(), 1), 16384))
    }

    /// Returns the ground along a horizontal line, `y` pixels below the image's upper edge. Returns nil if the line is
    /// above the horizon or very near to it, or if a pixel would be wider than the world.
    func row(at y: Double) -> GroundRow? {
        let along = y / scale - center.y
        let nearness = 1 + along / distance * (tilt.sine / tilt.cosine)
        guard nearness > Self.leastNearness else { return nil }
        let step = 1 / (nearness * scale * worldSize)
        guard step <= 1 else { return nil }
        let left = -center.x / (nearness * worldSize)
        let down = along / (tilt.cosine * nearness * worldSize)
        return GroundRow(
            start: WorldPoint(
                x: left * bearing.cosine - down * bearing.sine, y: left * bearing.sine + down * bearing.cosine),
            step: WorldPoint(x: step * bearing.cosine, y: step * bearing.sine),
            across: step, along: step / (nearness * tilt.cosine))
    }

    /// The smallest depth that is projected, as a fraction of the target's depth. Nearer ground lies far below the
    /// view.
    private static let leastDepth = 0.1

    /// Returns the ground point at `offset` from the target, in worlds.
    func point(at offset: WorldPoint) -> GroundPoint {
        let (east, south) = (offset.x * worldSize, offset.y * worldSize)
        let down = south * bearing.cosine - east * bearing.sine
        return GroundPoint(
            right: east * bearing.cosine + south * bearing.sine, down: down, depth: distance - down * tilt.sine)
    }

    /// Returns the position of `point` in pixels from the image's upper left corner. Returns nil if the point is behind
    /// the camera or too close in front of it.
    func pixel(of point: GroundPoint) -> Point? {
        guard point.depth >= Self.leastDepth * distance else { return nil }
        let factor = distance / point.depth * scale
        return Point(
            x: center.x * scale + point.right * factor, y: center.y * scale + point.down * tilt.cosine * factor)
    }

    /// Returns the point at which the straight line between two points crosses the smallest projected depth.
    /// `pixel(of:)` must be nil for one of the points and not for the other.
    func border(_ first: GroundPoint, _ second: GroundPoint) -> GroundPoint {
        // The factor moves the point a little farther away, so that rounding cannot put it behind the limit.
        let wanted = Self.leastDepth * distance * 1.001
        let part = min(max((wanted - first.depth) / (second.depth - first.depth), 0), 1)
        return GroundPoint(
            right: first.right + (second.right - first.right) * part,
            down: first.down + (second.down - first.down) * part, depth: max(wanted, 0))
    }

    /// The westernmost and easternmost visible ground, in worlds from the target. Nil if no ground is visible.
    var span: ClosedRange<Double>? {
        guard let near = row(at: Double(height)),
            let top = (0..<height).firstIndex(where: { row(at: Double($0)) != nil }),
            let far = row(at: Double(top))
        else { return nil }
        let xs = [near, far].flatMap { [$0.offset(at: 0).x, $0.offset(at: Double(width)).x] }
        return xs.reduce(xs[0]) { min($0, $1) }...xs.reduce(xs[0]) { max($0, $1) }
    }
}

/// The ground along a horizontal line of an image. The unit of all lengths is the width of the world.
struct GroundRow: Sendable {
    /// The vector from the target to the ground at the image's left edge.
    let start: WorldPoint
    /// The vector on the ground from one pixel to the next.
    let step: WorldPoint
    /// The size of a pixel on the ground: across the view and along the view (docs/spec/model.md ruling 7).
    let across: Double
    let along: Double

    /// Returns the vector from the target to the ground that is `pixels` to the right of the image's left edge.
    func offset(at pixels: Double) -> WorldPoint {
        WorldPoint(x: start.x + step.x * pixels, y: start.y + step.y * pixels)
    }
}

/// A point on the ground in the directions of the camera.
struct GroundPoint: Sendable {
    /// Points to the right of the target and downwards from it, before the tilt.
    let right: Double
    let down: Double
    /// The distance from the camera along the line of sight, in points. A point with a depth of 0 or less is not in
    /// front of the camera.
    let depth: Double
}
