import Foundation
import MapGeometry

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
