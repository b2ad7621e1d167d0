import MapGeometry

extension LayerSettings {
    /// The zoom range of a map's camera. A layer has the standard range. Each end of a map's range comes from the map's
    /// `camera`, else its profile, else the zooms that the map sets for its tiles, else 0 and 21. The default of 21
    /// rises to the minimum if the minimum is greater. Throws if the minimum is above the maximum, or if a zoom is
    /// outside 0…30.
    package var cameraZooms: ZoomRange {
        get throws(CameraError) {
            guard case .map(let map) = source else { return .standard }
            let (limits, standard) = (map.limits, map.limits.profile?.zooms)
            let minimum = limits.minZoom ?? standard?.minimum ?? Double(explicit.minZoom ?? 0)
            let maximum = limits.maxZoom ?? standard?.maximum ?? explicit.maxZoom.map(Double.init) ?? max(21, minimum)
            return try ZoomRange(minimum: minimum, maximum: maximum)
        }
    }

    /// The zoom range of the camera if its minimum is above its maximum, else nil. Nil also if a zoom is outside 0…30,
    /// or if the map has neither a profile nor a zoom in `camera`: the zooms of the map's tiles have their own check.
    var crossedCameraZooms: (minimum: Double, maximum: Double)? {
        guard case .map(let map) = source else { return nil }
        let limits = map.limits
        guard limits.profile != nil || limits.minZoom != nil || limits.maxZoom != nil else { return nil }
        do throws(CameraError) {
            _ = try cameraZooms
        } catch .zoomRangeInverted(let minimum, let maximum) {
            return (minimum, maximum)
        } catch {
            // The checks of the keys report a zoom outside its range.
        }
        return nil
    }
}

extension MapLimits {
    /// The maximum tilt of the camera by zoom. Throws if the zooms of the knots do not ascend, or if a knot has an
    /// invalid number.
    package var viewingAngleLimit: ViewingAngleLimit {
        get throws(CameraError) {
            guard let knots = maxTiltKnots, !knots.isEmpty else { return profile == .android ? .android : .sdk }
            return try ViewingAngleLimit(knots: knots)
        }
    }
}
