import MapGeometry
import MapService

/// Reads a camera and a view from the query of a URL. The camera has the parameters `lat`, `lng`, `zoom`, `bearing` and
/// `viewingAngle` (or `tilt`). The view has `width`, `height` and `padding`.
struct CameraQuery {
    let view: MapView
    let position: CameraPosition

    /// Reads the query. `map` has the limits of the map and its own camera.
    init(_ parameters: QueryParameters, _ map: MapCameraRules) throws(CameraRequestError) {
        view = MapView(rules: map.rules, viewport: try Self.viewport(parameters, map))
        position = try Self.position(parameters, map.camera ?? view.defaultCamera, view)
    }

    /// Returns the viewport. Nil if the query has no size.
    static func viewport(_ parameters: QueryParameters, _ map: MapCameraRules) throws(CameraRequestError) -> Viewport? {
        let (width, height) = (try parameters.number("width"), try parameters.number("height"))
        let padding = try parameters.insets("padding")
        guard width != nil || height != nil else {
            if padding != nil { throw .missing("width") }
            return nil
        }
        guard let width else { throw .missing("width") }
        guard let height else { throw .missing("height") }
        return try map.viewport(width: width, height: height, padding: padding)
    }

    /// Reads the camera from the query. If the query has neither `lat` nor `lng`, missing values come from `standard`.
    /// Otherwise the query must have both, and other missing values come from the defaults of a new camera.
    private static func position(
        _ parameters: QueryParameters, _ standard: CameraPosition, _ view: MapView
    ) throws(CameraRequestError) -> CameraPosition {
        let hasTarget = parameters.has("lat") || parameters.has("lng")
        if parameters.has("tilt"), parameters.has("viewingAngle") {
            throw .malformed("viewingAngle", expected: "viewingAngle or tilt, not both")
        }
        let zoom = try parameters.number("zoom")
        let bearing = try parameters.number("bearing")
        let angle = try parameters.number(parameters.has("tilt") ? "tilt" : "viewingAngle")
        return try CameraRequestError.translating {
            try CameraPosition.checked(
                latitude: hasTarget ? try parameters.required("lat") : standard.latitude,
                longitude: hasTarget ? try parameters.required("lng") : standard.longitude,
                zoom: zoom ?? (hasTarget ? view.minZoom : standard.zoom),
                bearing: bearing ?? (hasTarget ? 0 : standard.bearing),
                viewingAngle: angle ?? (hasTarget ? 0 : standard.viewingAngle))
        }
    }
}
