extension LayerSettings {
    /// The zooms of a map's camera, any numbers in 0…30: what the map's `camera` says, else its profile, else the zooms
    /// that the map sets for its tiles, else 0 and 21. The last of these gives way to a `minimum` beyond it.
    package var cameraZooms: (minimum: Double, maximum: Double) {
        guard case .map(let map) = source else { return (0, 21) }
        let limits = map.limits
        let profile: (minimum: Double, maximum: Double)? = limits.profile == .sdk ? (2, 21) : nil
        let minimum = limits.minZoom ?? profile?.minimum ?? Double(explicit.minZoom ?? 0)
        let maximum = limits.maxZoom ?? profile?.maximum ?? explicit.maxZoom.map(Double.init) ?? max(21, minimum)
        return (minimum, maximum)
    }

    /// Those, where the least is above the greatest. Of zooms that the map's tiles alone have, their own keys are judged.
    var crossedCameraZooms: (minimum: Double, maximum: Double)? {
        guard case .map(let map) = source, cameraZooms.minimum > cameraZooms.maximum else { return nil }
        let limits = map.limits
        return limits.profile != nil || limits.minZoom != nil || limits.maxZoom != nil ? cameraZooms : nil
    }
}
