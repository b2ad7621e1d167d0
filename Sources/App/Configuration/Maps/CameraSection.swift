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
        Key("lat", optional: \.latitude, .latitude, "degrees north").called("latitude"),
        Key("lng", optional: \.longitude, .longitude, "degrees east").called("lon", "long", "longitude"),
        Key("zoom", \.camera.zoom, .zoom, "at 0 the world has 256 points a side"),
        Key("bearing", \.camera.bearing, .real(0...360), "degrees clockwise from north to the top edge")
            .called("heading", "rotation"),
        Key(
            "viewingAngle", \.camera.viewingAngle, .real(0...90),
            "degrees from straight down; how much of it is allowed depends on the zoom"
        ).called("pitch", "tilt"),
    ]

    private static let limitKeys: [Key<CameraSection>] = [
        Key(
            "profile", optional: \.limits.profile, .choice,
            "the camera of an SDK: `sdk` (iOS) has zooms 2…21 and the default `maxTiltKnots`; `android` has "
                + "`\(ViewingAngleLimit.android.written.yaml)`"),
        Key(
            "minZoom", optional: \.limits.minZoom, .zoom,
            "the farthest zoom of the camera, such as `4.5`; unset, the profile's, else the map's `minZoom` where it is set, "
                + "else 0"),
        Key(
            "maxZoom", optional: \.limits.maxZoom, .zoom,
            "the closest zoom of the camera; unset, the profile's, else the map's `maxZoom` where it is set, else 21"),
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
