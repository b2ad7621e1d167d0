import JSON
import MapGeometry
import MapService

/// The JSON content of a POST request about a camera: `camera`, `view`, and `update` or `updates`. The members
/// `duration`, `fps` and `curve` are for an animation. `scale` is for an animation that is drawn as an image.
struct CameraBody {
    let camera: CameraJSON?
    let view: ViewJSON?
    let update: UpdateJSON?
    let updates: [UpdateJSON]?
    let duration: Double?
    let fps: Double?
    let curve: String?
    let scale: Double?

    /// Reads the content of a request, on any thread. Throws an error that names the wrong field.
    init(parsing bytes: UnsafeRawBufferPointer) throws(CameraRequestError) {
        self = try CameraRequestError.translating { try CameraBody(JSONText(Array(bytes)).value) }
    }

    /// Reads the fields of the request. Throws `JSONError` or `CameraRequestError`.
    private init(_ value: JSONValue) throws {
        let body = try value.object(["camera", "view", "update", "updates", "duration", "fps", "curve", "scale"])
        camera = try body["camera"].map { try CameraJSON($0) }
        view = try body["view"].map { try ViewJSON($0) }
        update = try body["update"].map { try UpdateJSON($0) }
        updates = try body["updates"].map { try $0.elements(atMost: Self.mostUpdates).map { try UpdateJSON($0) } }
        duration = try body["duration"]?.number()
        fps = try body["fps"]?.number()
        curve = try body["curve"]?.string()
        scale = try body["scale"]?.number()
        guard update == nil || updates == nil else {
            throw CameraRequestError.malformed("update", expected: "update or updates, not both")
        }
    }

    private static let mostUpdates = 1_000
}

extension CameraBody {
    /// Returns the viewport of the request. Nil if the request has none.
    func viewport(_ map: MapCameraRules) throws(CameraRequestError) -> Viewport? {
        guard let view else { return nil }
        do throws(CameraRequestError) {
            return try map.viewport(width: view.width, height: view.height, padding: view.padding)
        } catch {
            throw error.within("view")
        }
    }

    /// Returns the camera before the movement: the camera of the request, else the map's own, else the default camera.
    func position(_ map: MapCameraRules, _ view: MapView) throws(CameraRequestError) -> CameraPosition {
        guard let camera else { return map.camera ?? view.defaultCamera }
        return try camera.position(view)
    }

    /// Returns the single update, or all updates in their order.
    func cameraUpdates(_ view: MapView) throws(CameraRequestError) -> [CameraUpdate] {
        var result: [CameraUpdate] = []
        for update in update.map({ [$0] }) ?? updates ?? [] { result.append(try update.cameraUpdate(view)) }
        return result
    }
}

extension CameraBody {
    struct CameraJSON {
        let path: String
        let lat: Double
        let lng: Double
        let zoom: Double?
        let bearing: Double?
        let viewingAngle: Double?

        /// Reads a camera. Throws `JSONError` or `CameraRequestError`.
        init(_ value: JSONValue) throws {
            let camera = try value.object(["lat", "lng", "zoom", "bearing", "viewingAngle", "tilt"])
            path = value.path
            lat = try camera.required("lat").number()
            lng = try camera.required("lng").number()
            zoom = try camera["zoom"]?.number()
            bearing = try camera["bearing"]?.number()
            viewingAngle = try camera.viewingAngle()
        }

        func position(_ view: MapView) throws(CameraRequestError) -> CameraPosition {
            do throws(CameraError) {
                return try CameraPosition.checked(
                    latitude: lat, longitude: lng, zoom: zoom ?? view.minZoom, bearing: bearing ?? 0,
                    viewingAngle: viewingAngle ?? 0)
            } catch {
                throw CameraRequestError(error).within(path)
            }
        }
    }

    struct ViewJSON {
        let width: Double
        let height: Double
        let padding: EdgeInsets?

        init(_ value: JSONValue) throws(JSONError) {
            let view = try value.object(["width", "height", "padding"])
            width = try view.required("width").number()
            height = try view.required("height").number()
            padding = try view["padding"]?.insets()
        }
    }
}

extension JSONObject {
    /// Returns the angle under the name `viewingAngle` or `tilt`. Nil if the object has neither. Throws `JSONError` or
    /// `CameraRequestError`.
    func viewingAngle() throws -> Double? {
        let (angle, tilt) = (self["viewingAngle"], self["tilt"])
        if angle != nil, tilt != nil {
            throw CameraRequestError.malformed(path(to: "viewingAngle"), expected: "viewingAngle or tilt, not both")
        }
        return try (angle ?? tilt)?.number()
    }
}

extension JSONValue {
    /// Reads an object with four distances in points.
    func insets() throws(JSONError) -> EdgeInsets {
        let edges = try object(["top", "left", "bottom", "right"])
        return EdgeInsets(
            top: try edges.required("top").number(), left: try edges.required("left").number(),
            bottom: try edges.required("bottom").number(), right: try edges.required("right").number())
    }
}

extension CameraBody {
    /// A movement of the camera, with its start, its end and the view.
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

    /// Returns the animation that the request describes. Throws if a value is invalid, for example the duration, the
    /// frame rate or the curve, or if there is no update.
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

    /// Returns the pixels per point of a drawn animation.
    func drawnScale() throws(CameraRequestError) -> Int {
        try .whole(scale ?? 1, "scale", in: 1...4)
    }
}
