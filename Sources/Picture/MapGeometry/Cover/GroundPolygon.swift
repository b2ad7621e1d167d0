/// The part of the ground that a view shows, as a convex polygon on the Mercator map. x is in 0…1 for the world itself.
/// Smaller and larger numbers are in the copies of the world to the west and to the east.
struct GroundPolygon {
    /// The corners in order around the polygon. Fewer than three corners mean that no ground is visible.
    let corners: [WorldPoint]

    var isEmpty: Bool { corners.count < 3 }

    /// The western and eastern ends. The polygon must not be empty.
    var xs: (low: Double, high: Double) { Self.ends(of: corners.lazy.map(\.x)) }

    /// The northern and southern ends. The polygon must not be empty.
    var ys: (low: Double, high: Double) { Self.ends(of: corners.lazy.map(\.y)) }

    private static func ends(of values: some Sequence<Double>) -> (low: Double, high: Double) {
        values.reduce((low: Double.infinity, high: -Double.infinity)) { (low: min($0.low, $1), high: max($0.high, $1)) }
    }

    func clipped(xFrom west: Double, to east: Double) -> GroundPolygon {
        clipped { $0.x - west }.clipped { east - $0.x }
    }

    func clipped(yFrom north: Double, to south: Double) -> GroundPolygon {
        clipped { $0.y - north }.clipped { south - $0.y }
    }

    /// Cuts the polygon along a straight line and returns one of the parts. `inside` is a linear function that is at
    /// least 0 in the returned part. This is one step of the algorithm of Sutherland and Hodgman.
    private func clipped(_ inside: (WorldPoint) -> Double) -> GroundPolygon {
        guard var previous = corners.last else { return self }
        var kept: [WorldPoint] = []
        kept.reserveCapacity(corners.count + 1)
        var before = inside(previous)
        for corner in corners {
            let here = inside(corner)
            if (here >= 0) != (before >= 0) {
                let fraction = before / (before - here)
                kept.append(
                    WorldPoint(
                        x: previous.x + (corner.x - previous.x) * fraction,
                        y: previous.y + (corner.y - previous.y) * fraction))
            }
            if here >= 0 { kept.append(corner) }
            (previous, before) = (corner, here)
        }
        return GroundPolygon(corners: kept)
    }
}

extension Projection {
    /// Returns the ground that the whole view shows, including the area under the padding. The result ends at the
    /// northern and southern edges of the map. It also ends `copies` worlds east and west of the target. Near the
    /// horizon, it ends at most an eighth of a point below the horizon, because farther ground shows no details
    /// (docs/spec/model.md ruling 6).
    func ground(copies: Int) -> GroundPolygon {
        let (width, height) = (viewport.width, viewport.height)
        var top = 0.0
        if tilt.sine > 0 {
            let horizon = center.y - distance * tilt.cosine / tilt.sine
            top = max(0, horizon + min(0.125, (center.y - horizon) / 2))
        }
        let screen = [(0, top), (width, top), (width, height), (0, height)]
        let corners = screen.compactMap { worldPoint(at: ScreenPoint(x: $0, y: $1)) }
        guard corners.count == screen.count else { return GroundPolygon(corners: []) }
        let reach = Double(copies)
        return GroundPolygon(corners: corners)
            .clipped(yFrom: 0, to: 1).clipped(xFrom: target.x - reach, to: target.x + reach)
    }
}
