import Foundation
import MapGeometry
import Raster

/// The ground as the rows of an image see it (docs/spec/model.md 9.1).
///
/// The camera is not rolled, so that all of a row is equally far away: along a row the ground goes by in equal steps.
struct ScreenGround: Sendable {
    let target: WorldPoint
    /// Pixels across and down.
    let width: Int
    let height: Int
    let center: ScreenPoint
    let scale: Double
    let distance: Double
    let worldSize: Double
    let bearing: (sine: Double, cosine: Double)
    let tilt: (sine: Double, cosine: Double)

    /// The least part of the camera's distance over that of the ground that is drawn; beyond it lies the horizon.
    private static let leastNearness = 0x1p-20

    /// `scale` is pixels for a point.
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

    /// The ground along a line across the image, `y` pixels from its upper edge. Nil above the horizon, and where a pixel
    /// would be wider than the world.
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

/// The ground along a line across an image. All lengths are in worlds.
struct GroundRow: Sendable {
    /// From the target to the ground at the image's left edge.
    let start: WorldPoint
    /// From one pixel to the next.
    let step: WorldPoint
    /// How long the image of a pixel on the ground is: across the view, and along it (docs/spec/model.md ruling 7).
    let across: Double
    let along: Double

    /// The ground `pixels` from the image's left edge, from the target.
    func offset(at pixels: Double) -> WorldPoint {
        WorldPoint(x: start.x + step.x * pixels, y: start.y + step.y * pixels)
    }
}

/// A place on the ground, as the camera sees it.
struct GroundPoint: Sendable {
    /// Points to the right and downwards of the target, before the tilt.
    let right: Double
    let down: Double
    /// Points along the line of sight from the camera; what is not above 0 lies behind it.
    let depth: Double
}
