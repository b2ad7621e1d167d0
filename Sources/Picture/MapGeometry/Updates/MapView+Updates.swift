import Foundation

extension MapView {
    /// Where `update` leads from `start`, normalized before and after. What either step clamped or wrapped is reported;
    /// a longitude that only goes on into the next copy of the world is not.
    ///
    /// Throws `notFinite` for numbers that are none; `viewMissing` where the update needs a view; `emptyBounds`; and
    /// `aboveHorizon` when a zoom's point or a scroll's end shows no ground.
    public func apply(
        _ update: CameraUpdate, to start: CameraPosition
    ) throws(CameraError) -> ResolvedCamera {
        let start = normalized(start)
        let wanted = try unclamped(update, from: start.position)
        let end = normalized(wanted, afterGesture: update.isGesture)
        return ResolvedCamera(position: end.position, clamped: merged(start.clamped, end.clamped))
    }

    /// Where `updates` lead from `start`, one after the other. What any step clamped is reported. Throws what `apply`
    /// throws, with the index of the update at fault.
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

    /// What `update` asks for, starting at a normalized camera.
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

    /// The camera over what was seen `x` points to the right of the middle of the view and `y` below it (docs/spec/model.md 7.1).
    private func scrolled(_ start: CameraPosition, x: Double, y: Double) throws(CameraError) -> CameraPosition {
        let projection = try projection(of: start)
        let end = ScreenPoint(x: projection.center.x + x, y: projection.center.y + y)
        let target = try projection.coordinate(at: end).coordinate
        return start.with(latitude: target.latitude, longitude: target.longitude)
    }

    /// The camera `delta` levels closer that sees at `point` what was seen there (docs/spec/model.md 7.1). The ground there may
    /// lie off the world, whose edge only the target minds.
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

    /// `first` and `second` without repetition, in the order of `CameraPosition`.
    private func merged(_ first: [CameraParameter], _ second: [CameraParameter]) -> [CameraParameter] {
        let order: [CameraParameter] = [.latitude, .longitude, .zoom, .bearing, .viewingAngle]
        return order.filter { first.contains($0) || second.contains($0) }
    }

    // Moving the map's own camera.

    /// Moves the camera at once: the SDK's moveCamera:. Returns where it is then, and what was clamped or wrapped on the way.
    /// Throws what `apply(_:to:)` throws; the camera stays where it is then.
    @discardableResult
    public mutating func moveCamera(_ update: CameraUpdate) throws(CameraError) -> ResolvedCamera {
        let end = try apply(update, to: camera)
        camera = end.position
        return end
    }

    /// Moves the camera to where `update` leads, and gives the flight there: the SDK's animateWithCameraUpdate:, whose time is
    /// the caller's to spend. A next update sets out from the flight's end.
    ///
    /// `duration` is in seconds, 0…60, `fps` in frames a second, above 0 and at most 120. Throws for others, and what
    /// `moveCamera(_:)` throws; the camera stays where it is then.
    public mutating func animate(
        with update: CameraUpdate, duration: Double = 1, fps: Double = 30, curve: AnimationCurve = .linear
    ) throws(CameraError) -> CameraAnimation {
        let end = try apply(update, to: camera)
        let flight = try CameraAnimation(
            from: camera, to: end.position, duration: duration, fps: fps, curve: curve, in: self)
        camera = end.position
        return flight
    }

    /// The flight to `position`: the SDK's animateToCameraPosition:.
    public mutating func animate(
        to position: CameraPosition, duration: Double = 1, fps: Double = 30, curve: AnimationCurve = .linear
    ) throws(CameraError) -> CameraAnimation {
        try animate(with: .setCamera(position), duration: duration, fps: fps, curve: curve)
    }

    /// How the camera sees the world now. Throws `viewMissing` without a view.
    public var projection: Projection {
        get throws(CameraError) { try projection(of: camera) }
    }

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

/// Which of several updates cannot be applied, and why.
public struct CameraUpdateError: Error, Hashable, Sendable {
    /// Counted from 0.
    public let index: Int
    /// What is wrong with it.
    public let reason: CameraError
}

extension CameraUpdateError: CustomStringConvertible {
    /// The update by its place in a request, and the reason.
    public var description: String { "updates[\(index)]: \(reason)" }
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
