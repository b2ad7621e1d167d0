import MapGeometry
import MapService

extension CameraBody {
    /// From where to where the camera is moved, and in which view.
    struct Move {
        let view: MapView
        let start: CameraPosition
        let end: ResolvedCamera
    }

    func move(_ map: MapCameraRules) throws(CameraRequestError) -> Move {
        let view = MapView(rules: map.rules, viewport: try viewport(map))
        let start = try position(map, view)
        let updates = try cameraUpdates(view)
        do throws(CameraUpdateError) {
            return Move(view: view, start: start, end: try view.apply(updates, to: start))
        } catch {
            let path = update != nil ? "update" : "updates[\(error.index)]"
            throw CameraRequestError(error.reason).within(error.reason == .viewMissing ? "view" : path)
        }
    }

    /// Throws where the duration, the frames or the curve are none, or nothing moves the camera.
    func flight(_ map: MapCameraRules) throws(CameraRequestError) -> CameraAnimation {
        let move = try move(map)
        guard update != nil || updates?.isEmpty == false else { throw .missing("update") }
        guard let curve = AnimationCurve(rawValue: curve ?? AnimationCurve.linear.rawValue) else {
            throw .malformed("curve", expected: "linear, easeIn, easeOut or easeInOut")
        }
        do throws(CameraError) {
            return try CameraAnimation(
                from: move.start, to: move.end.position, duration: duration ?? 1, fps: fps ?? 30, curve: curve,
                in: move.view)
        } catch {
            throw CameraRequestError(error)
        }
    }

    /// Pixels a point.
    func drawnScale() throws(CameraRequestError) -> Int {
        try .whole(scale ?? 1, "scale", in: 1...4)
    }
}
