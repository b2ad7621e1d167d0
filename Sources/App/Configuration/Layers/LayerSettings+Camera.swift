import MapGeometry

extension LayerSettings {
    /// The zooms of a map's camera: what the map's `camera` says, else its profile, else the zooms that the map sets for its
    /// tiles, else 0 and 21. The last of these gives way to a least zoom beyond it. Throws if the least zoom is above the greatest.
    package var cameraZooms: ZoomRange {
        get throws(CameraError) {
            guard case .map(let map) = source else { return .standard }
            let (limits, standard) = (map.limits, map.limits.profile?.zooms)
            let minimum = limits.minZoom ?? standard?.minimum ?? Double(explicit.minZoom ?? 0)
            let maximum = limits.maxZoom ?? standard?.maximum ?? explicit.maxZoom.map(Double.init) ?? max(21, minimum)
            return try ZoomRange(minimum: minimum, maximum: maximum)
        }
    }

    /// The zooms of the camera if the least is above the greatest. The keys of the map's tiles judge zooms that come from these
    /// keys alone.
    var crossedCameraZooms: (minimum: Double, maximum: Double)? {
        guard case .map(let map) = source else { return nil }
        let limits = map.limits
        guard limits.profile != nil || limits.minZoom != nil || limits.maxZoom != nil else { return nil }
        do throws(CameraError) {
            _ = try cameraZooms
        } catch .zoomRangeInverted(let minimum, let maximum) {
            return (minimum, maximum)
        } catch {
            // The range of each zoom is judged with its key.
        }
        return nil
    }
}

extension MapLimits {
    /// How far the camera may tilt. Throws if the zooms of the knots do not grow.
    package var viewingAngleLimit: ViewingAngleLimit {
        get throws(CameraError) {
            guard let knots = maxTiltKnots, !knots.isEmpty else { return profile == .android ? .android : .sdk }
            return try ViewingAngleLimit(knots: knots)
        }
    }
}
