import Configuration
import MapGeometry
import MapService

extension LayerDocument {
    /// Where a map's camera begins, and all that limits it: what a client needs to move one of its own alike.
    static func camera(of map: MapSource, _ camera: MapCameraRules) -> [String: Any] {
        let rules = camera.rules
        let view = MapView(rules: rules)
        let start = view.normalized(camera.camera ?? view.defaultCamera).position
        var document: [String: Any] = [
            "camera": CameraDocument.position(start),
            "cameraZoom": [rules.zoomRange.minimum, rules.zoomRange.maximum],
            "maxTiltKnots": rules.viewingAngleLimit.knots.map { [$0.zoom, $0.angle] },
            "fillViewport": rules.fillsViewport,
            "padding": [camera.padding.top, camera.padding.left, camera.padding.bottom, camera.padding.right],
            "background": map.background.text,
            "tileZoom": map.limits.tileZoom.rawValue,
        ]
        if let bounds = map.limits.targetBounds {
            document["targetBounds"] = [bounds.west, bounds.south, bounds.east, bounds.north]
            document["targetBoundsMode"] = map.limits.targetBoundsMode.rawValue
        }
        return document
    }
}
