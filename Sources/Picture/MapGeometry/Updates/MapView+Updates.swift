import Foundation

extension MapView {
    /// Applies `update` to the camera `start` and returns the new camera. Both cameras are normalized. The result lists
    /// the properties that either normalization clamped or wrapped. The longitude is not listed if a scroll or a zoom
    /// at a point only moves the camera into the next copy of the world.
    ///
    /// Throws `notFinite` for NaN and infinities, `viewMissing` if the update needs a view, and `emptyBounds`. Throws
    /// `aboveHorizon` if the point of a zoom or the end of a scroll shows no ground.
    public func apply(
        _ update: CameraUpdate, to start: CameraPosition
    ) throws(CameraError) -> ResolvedCamera {
        let start = normalized(start)
        let wanted = try unclamped(update, from: start.position)
        let end = normalized(wanted, afterGesture: update.isGesture)
        return ResolvedCamera(position: end.position, clamped: merged(start.clamped, end.clamped))
    }

    /// Applies `updates` one after the other, beginning with the camera `start`, and returns the new camera. The result
    /// also lists the properties that were clamped in any step. If an update fails, the error contains the index of the
    /// update.
    public func apply(
        _ updates: [CameraUpdate], to start: CameraPosition
    ) throws(CameraUpdateError) -> ResolvedCamera {
        var camera = normalized(start)
        for (index, update) in updates.enumerated() {
            do {
                let next = try apply(update, to: camera.position)
                camera = ResolvedCamera(position: next.position, clamped: merged(camera.clamped, next.clamped))
            } catch {
                throw CameraUpdateError(index: index, reason: error)
            }
        }
        return camera
    }

    /// Returns the camera that `update` asks for, before the limits of the map are applied. `start` must be within the
    /// limits.
    private func unclamped(
        _ update: CameraUpdate, from start: CameraPosition
    ) throws(CameraError) -> CameraPosition {
        switch update.change {
        case .zoomTo(let zoom): return start.with(zoom: try zoom.finite(.zoom))
        case .zoomBy(let delta, nil): return start.with(zoom: start.zoom + (try delta.finite(.delta)))
        case .zoomBy(let delta, let point?): return try zoomed(start, by: delta.finite(.delta), at: point)
        case .setTarget(let latitude, let longitude, let zoom):
            let end = start.with(
                latitude: try latitude.finite(.latitude), longitude: try longitude.finite(.longitude))
            guard let zoom else { return end }
            return end.with(zoom: try zoom.finite(.zoom))
        case .setCamera(let position): return position
        case .scrollBy(let x, let y): return try scrolled(start, x: x.finite(.x), y: y.finite(.y))
        case .fit(let bounds, let insets, let parameter): return try fitted(bounds, insets: insets, parameter)
        case .turnTo(let bearing):
            var end = start
            end.bearing = try bearing.finite(.bearing)
            return end
        case .tiltTo(let angle):
            var end = start
            end.viewingAngle = try angle.finite(.viewingAngle)
            return end
        }
    }

    /// Returns the camera over the ground that is drawn `x` points right of the target and `y` points below it
    /// (docs/spec/model.md 7.1).
    private func scrolled(_ start: CameraPosition, x: Double, y: Double) throws(CameraError) -> CameraPosition {
        let projection = try projection(of: start)
        let end = ScreenPoint(x: projection.center.x + x, y: projection.center.y + y)
        let target = try projection.coordinate(at: end).coordinate
        return start.with(latitude: target.latitude, longitude: target.longitude)
    }

    /// Returns a camera whose zoom is greater by `delta` (docs/spec/model.md 7.1). The ground at `point` of the screen
    /// stays at this point, even if it is beyond the edge of the map. Only the target is clamped to the map.
    private func zoomed(
        _ start: CameraPosition, by delta: Double, at point: ScreenPoint
    ) throws(CameraError) -> CameraPosition {
        _ = try point.x.finite(.point)
        _ = try point.y.finite(.point)
        let wanted = start.with(zoom: start.zoom + delta)
        let (before, after) = try (projection(of: start), projection(of: wanted))
        guard let from = before.worldPoint(at: point), let offset = after.offset(at: point) else {
            throw .aboveHorizon(x: point.x, y: point.y)
        }
        let target = Projection.coordinate(of: WorldPoint(x: from.x - offset.x, y: from.y - offset.y))
        return wanted.with(latitude: target.latitude, longitude: target.longitude)
    }

    /// Returns the parameters of `first` and `second` without repetition, in the order of `CameraPosition`.
    private func merged(_ first: [CameraParameter], _ second: [CameraParameter]) -> [CameraParameter] {
        let order: [CameraParameter] = [.latitude, .longitude, .zoom, .bearing, .viewingAngle]
        return order.filter { first.contains($0) || second.contains($0) }
    }

    // Functions that move the map's own camera.

    /// Moves the camera at once, as the SDK's moveCamera: does. Returns the new camera and the properties that were
    /// clamped or wrapped. Throws the errors of `apply(_:to:)`; the camera then stays unchanged.
    @discardableResult
    public mutating func moveCamera(_ update: CameraUpdate) throws(CameraError) -> ResolvedCamera {
        let end = try apply(update, to: camera)
        camera = end.position
        return end
    }

    /// Moves the camera to the end of `update` and returns the flight to this end. The function corresponds to the
    /// SDK's animateWithCameraUpdate:, but the caller plays the animation. The next update starts at the end of the
    /// flight.
    ///
    /// `duration` is in seconds, 0…60. `fps` is in frames a second, above 0 and at most 120. Throws for other values,
    /// and throws the errors of `moveCamera(_:)`; the camera then stays unchanged.
    public mutating func animate(
        with update: CameraUpdate, duration: Double = 1, fps: Double = 30, curve: AnimationCurve = .linear
    ) throws(CameraError) -> CameraAnimation {
        let end = try apply(update, to: camera)
        let flight = try CameraAnimation(
            from: camera, to: end.position, duration: duration, fps: fps, curve: curve, in: self)
        camera = end.position
        return flight
    }

    /// Moves the camera to `position` and returns the flight to it, as the SDK's animateToCameraPosition: does.
    public mutating func animate(
        to position: CameraPosition, duration: Double = 1, fps: Double = 30, curve: AnimationCurve = .linear
    ) throws(CameraError) -> CameraAnimation {
        try animate(with: .setCamera(position), duration: duration, fps: fps, curve: curve)
    }

    /// The projection of the current camera. Throws `viewMissing` if the map has no view.
    public var projection: Projection {
        get throws(CameraError) { try projection(of: camera) }
    }

    /// Returns the closest camera that shows all of `bounds` inside `insets` and the view's padding. North is up, and
    /// the camera looks straight down (docs/spec/model.md 6.6, 7.2). Insets may be negative. If the insets cover the
    /// whole view, the result is the farthest camera over the middle of the bounds. The camera may show less if the
    /// map's limits change the camera.
    ///
    /// Throws `emptyBounds`, where the SDK returns nil. Throws `viewMissing` if the map has no view, and `notFinite`
    /// for insets that are NaN or infinite.
    public func camera(
        for bounds: CoordinateBounds, insets: EdgeInsets = .zero
    ) throws(CameraError) -> ResolvedCamera {
        normalized(try fitted(bounds, insets: insets))
    }

    /// Returns the camera that fits `bounds` into the view. The zoom is already clamped to the range of the map. Its
    /// other limits are not applied yet. `parameter` is the name of the insets in error messages.
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
        // Each inset is halved before the subtraction, because the difference of two large insets may overflow. The
        // camera's projection already accounts for the view's padding.
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

/// An error that says which of several updates failed, and why.
public struct CameraUpdateError: Error, Hashable, Sendable {
    /// The index of the failed update, counted from 0.
    public let index: Int
    /// The error of the failed update.
    public let reason: CameraError
}

extension CameraUpdateError: CustomStringConvertible {
    /// The message: the position of the update in a request, and the reason.
    public var description: String { "updates[\(index)]: \(reason)" }
}

/// The rectangle that a box of latitudes and longitudes covers on the Mercator map.
private struct WorldSpan {
    let center: WorldPoint
    /// The width, as a fraction of the world's width.
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

    /// Returns the zoom at which the span exactly fits into `points` points across and `down` points down. A side of
    /// length 0 fits at any zoom.
    func zoom(filling points: Double, _ down: Double) -> Double {
        let across = width > 0 ? log2(points / (Mercator.tilePoints * width)) : .infinity
        let along = height > 0 ? log2(down / (Mercator.tilePoints * height)) : .infinity
        return min(across, along)
    }
}
