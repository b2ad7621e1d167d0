/// The ground that a view shows inside its padding. The region is a rectangle, or a trapezoid if the camera is tilted.
/// The short side of the trapezoid is near the viewer.
public struct VisibleRegion: Hashable, Sendable {
    /// The place at the bottom left. In all four corners the longitude is in [-180, 180) and the latitude is clamped to
    /// the world.
    public let nearLeft: Coordinate
    /// The place at the bottom right.
    public let nearRight: Coordinate
    /// The place at the top left.
    public let farLeft: Coordinate
    /// The place at the top right.
    public let farRight: Coordinate
    /// The western and eastern ends in worlds. The numbers continue through the copies of the world.
    let span: ClosedRange<Double>

    /// The bounds of the region. If the region is wider than the world, the bounds contain all longitudes
    /// (docs/spec/model.md ruling 10).
    public var bounds: CoordinateBounds {
        let latitudes = [nearLeft, nearRight, farLeft, farRight].map(\.latitude)
        guard let south = latitudes.min(), let north = latitudes.max() else { return .empty }
        let longitudes = LongitudeArc(from: 360 * span.lowerBound - 180, to: 360 * span.upperBound - 180)
        return CoordinateBounds(box: CoordinateBounds.Box(south: south, north: north, longitudes: longitudes))
    }
}

extension Projection {
    /// The ground that the view shows inside its padding. Throws `aboveHorizon` if a corner shows no ground. With the
    /// viewing angles of the SDK every corner shows ground.
    public var visibleRegion: VisibleRegion {
        get throws(CameraError) {
            let padding = viewport.padding
            let (left, right) = (padding.left, viewport.width - padding.right)
            let (top, bottom) = (padding.top, viewport.height - padding.bottom)
            let nearLeft = try corner(x: left, y: bottom)
            let nearRight = try corner(x: right, y: bottom)
            let farLeft = try corner(x: left, y: top)
            let farRight = try corner(x: right, y: top)
            let xs = [nearLeft.x, nearRight.x, farLeft.x, farRight.x]
            let west = xs.reduce(.infinity) { min($0, $1) }
            return VisibleRegion(
                nearLeft: Self.coordinate(of: nearLeft), nearRight: Self.coordinate(of: nearRight),
                farLeft: Self.coordinate(of: farLeft), farRight: Self.coordinate(of: farRight),
                span: west...xs.reduce(west) { max($0, $1) })
        }
    }

    private func corner(x: Double, y: Double) throws(CameraError) -> WorldPoint {
        guard let world = worldPoint(at: ScreenPoint(x: x, y: y)) else { throw .aboveHorizon(x: x, y: y) }
        return world
    }
}

extension MapView {
    /// Returns the projection of `position` into this view, after normalizing the position. Throws `viewMissing` if the
    /// map has no view.
    public func projection(of position: CameraPosition) throws(CameraError) -> Projection {
        try Projection(normalized: normalized(position).position, viewport: requiredViewport())
    }
}
