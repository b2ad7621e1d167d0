import MapGeometry
import Keys

/// The `camera` section of a map: the initial view in the viewer, and the limits within which a user can move the
/// camera.
struct CameraSection: KeyedSettings {
    var latitude: Double?
    var longitude: Double?
    /// The initial camera. Its place is in `latitude` and `longitude`.
    var camera = MapCamera(latitude: 0, longitude: 0)
    /// The limits. The section sets only the profile and the zooms.
    var limits = MapLimits()

    init() {}

    /// Creates the section from a map's properties.
    init(_ camera: MapCamera?, _ limits: MapLimits) {
        (latitude, longitude, self.limits) = (camera?.latitude, camera?.longitude, limits)
        if let camera { self.camera = camera }
    }

    static let keys = placeKeys + limitKeys

    private static let placeKeys: [Key<CameraSection>] = [
        Key("lat", optional: \.latitude, .latitude, "latitude in degrees").called("latitude"),
        Key("lng", optional: \.longitude, .longitude, "longitude in degrees").called("lon", "long", "longitude"),
        Key("zoom", \.camera.zoom, .zoom, "zoom of the camera; at zoom 0 the world is 256 points wide"),
        Key("bearing", \.camera.bearing, .real(0...360), "degrees clockwise from north to the top edge of the view")
            .called("heading", "rotation"),
        Key(
            "viewingAngle", \.camera.viewingAngle, .real(0...90),
            "degrees from straight down; the maximum depends on the zoom"
        ).called("pitch", "tilt"),
    ]

    private static let limitKeys: [Key<CameraSection>] = [
        Key(
            "profile", optional: \.limits.profile, .choice,
            "SDK whose camera limits apply: `sdk` (iOS) has zooms 2…21 and default `maxTiltKnots`; "
                + "`android` has `\(ViewingAngleLimit.android.written.yaml)`"),
        Key(
            "minZoom", optional: \.limits.minZoom, .zoom,
            "lowest zoom of the camera, such as `4.5`. Unset: the profile's, else the map's `minZoom` if set, else 0"),
        Key(
            "maxZoom", optional: \.limits.maxZoom, .zoom,
            "highest zoom of the camera. Unset: the profile's, else the map's `maxZoom` if set, else 21"),
    ]

    /// Complains about a missing place. A section that has only limits needs no place.
    func check(_ section: inout MappingReader) {
        let isLimits = Self.limitKeys.contains { section.has($0.name) }
        guard section.isMapping, !isLimits || Self.placeKeys.contains(where: { section.has($0.name) }) else { return }
        for key in Self.placeKeys.prefix(2) where !([key.name] + key.otherNames).contains(where: section.has) {
            section.complain("\(key.name) is missing")
        }
    }

    /// The initial camera of a viewer. Nil if the section has no place.
    var position: MapCamera? {
        guard let latitude, let longitude else { return nil }
        var camera = camera
        (camera.latitude, camera.longitude) = (latitude, longitude)
        return camera
    }
}
