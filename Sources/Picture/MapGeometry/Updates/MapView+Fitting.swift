import Foundation

extension MapView {
    /// The camera that shows all of `bounds` within `insets` of the view and its padding, as close as can be, north up
    /// and straight down (docs/spec/model.md 6.6, 7.2). Insets may be negative; where they leave nothing of the view, it is the
    /// farthest camera over the middle of the bounds. A camera that the map's zoom range moves may show less.
    ///
    /// Throws `emptyBounds`, where the SDK gives nil; `viewMissing`; and `notFinite` for insets that are no numbers.
    public func camera(
        for bounds: CoordinateBounds, insets: EdgeInsets = .zero
    ) throws(CameraError) -> ResolvedCamera {
        normalized(try fitted(bounds, insets: insets))
    }

    /// The camera for `bounds` before it is normalized; its zoom is in range. `parameter`: what the insets are called.
    func fitted(
        _ bounds: CoordinateBounds, insets: EdgeInsets, _ parameter: CameraParameter = .insets
    ) throws(CameraError) -> CameraPosition {
        for edge in insets.edges { _ = try edge.finite(parameter) }
        let viewport = try requiredViewport()
        guard let box = bounds.box else { throw .emptyBounds }
        let span = WorldSpan(box)
        let whole = insets + viewport.padding
        let width = viewport.width - whole.left - whole.right
        let height = viewport.height - whole.top - whole.bottom
        guard width > 0, height > 0 else { return position(over: span.center, zoom: minZoom) }
        let zoom = span.zoom(filling: width, height).clamped(to: minZoom...maxZoom)
        let worldSize = Mercator.worldSize(zoom: zoom)
        // Halved first: the difference of two large insets may be no number. The view's padding moves the middle already.
        let middle = WorldPoint(
            x: span.center.x - (insets.left / 2 - insets.right / 2) / worldSize,
            y: span.center.y - (insets.top / 2 - insets.bottom / 2) / worldSize)
        return position(over: middle, zoom: zoom)
    }

    private func position(over point: WorldPoint, zoom: Double) -> CameraPosition {
        let target = Projection.coordinate(of: point)
        return CameraPosition(finiteLatitude: target.latitude, longitude: target.longitude, zoom: zoom)
    }
}

/// The rectangle of a box in the Mercator world.
private struct WorldSpan {
    let center: WorldPoint
    /// In worlds.
    let width: Double
    let height: Double

    init(_ box: CoordinateBounds.Box) {
        let longitudes = box.longitudes
        let northWest = Mercator.project(Coordinate(validLatitude: box.north, longitude: longitudes.west))
        let southWest = Mercator.project(Coordinate(validLatitude: box.south, longitude: longitudes.west))
        width = longitudes.width / 360
        height = southWest.y - northWest.y
        center = WorldPoint(x: northWest.x + width / 2, y: (northWest.y + southWest.y) / 2)
    }

    /// The zoom at which the span just fits into so many points; a side without length fits at any zoom.
    func zoom(filling points: Double, _ down: Double) -> Double {
        let across = width > 0 ? log2(points / (Mercator.tilePoints * width)) : .infinity
        let along = height > 0 ? log2(down / (Mercator.tilePoints * height)) : .infinity
        return min(across, along)
    }
}
