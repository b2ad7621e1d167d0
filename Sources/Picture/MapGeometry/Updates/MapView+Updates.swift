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
