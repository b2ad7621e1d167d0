/// Moving the map's own camera.
extension MapView {
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
}
