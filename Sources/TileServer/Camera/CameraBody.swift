import Foundation
import MapGeometry

/// The JSON of a POST about a camera (design.md 4): `camera`, `view`, `update` or `updates`, and for an animation `duration`,
/// `fps`, `curve` and, where it is drawn, `scale`.
struct CameraBody: Decodable {
    let camera: CameraJSON?
    let view: ViewJSON?
    let update: UpdateJSON?
    let updates: [UpdateJSON]?
    let duration: Double?
    let fps: Double?
    let curve: String?
    let scale: Double?

    struct CameraJSON: Decodable {
        let lat: Double?
        let lng: Double?
        let zoom: Double?
        let bearing: Double?
        let viewingAngle: Double?
        let tilt: Double?
    }

    struct ViewJSON: Decodable {
        let width: Double?
        let height: Double?
        let padding: InsetsJSON?
    }

    struct InsetsJSON: Decodable {
        let top: Double
        let left: Double
        let bottom: Double
        let right: Double

        var insets: EdgeInsets { EdgeInsets(top: top, left: left, bottom: bottom, right: right) }
    }

    /// Throws a fault that names the place of what is wrong.
    init(parsing bytes: UnsafeRawBufferPointer) throws(CameraFault) {
        guard !bytes.isEmpty else { throw .malformed("content", expected: "a JSON object") }
        do {
            self = try JSONDecoder().decode(CameraBody.self, from: Data(bytes))
        } catch DecodingError.keyNotFound(let key, let context) {
            throw .missing(Self.path(context.codingPath + [key]))
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
            throw .malformed(Self.path(context.codingPath), expected: "a value of the right type")
        } catch DecodingError.dataCorrupted(let context) {
            throw .malformed(Self.path(context.codingPath), expected: "valid JSON")
        } catch {
            throw .malformed("content", expected: "a JSON object")
        }
    }

    /// `updates[2].point[0]`; all names in it are ours.
    private static func path(_ keys: [any CodingKey]) -> String {
        let path = keys.reduce(into: "") { path, key in
            path += key.intValue.map { "[\($0)]" } ?? (path.isEmpty ? key.stringValue : "." + key.stringValue)
        }
        return path.isEmpty ? "content" : path
    }
}

extension CameraBody {
    /// The view; nil where the request names none.
    func viewport(_ map: MapCameraRules) throws(CameraFault) -> Viewport? {
        guard let view else { return nil }
        guard let width = view.width else { throw .missing("view.width") }
        guard let height = view.height else { throw .missing("view.height") }
        return try map.viewport(width: width, height: height, padding: view.padding?.insets)
    }

    /// The camera that is moved: the map's own where the request names none.
    func position(_ map: MapCameraRules, _ view: MapView) throws(CameraFault) -> CameraPosition {
        guard let camera else { return map.camera ?? view.defaultCamera }
        return try camera.position(view, path: "camera")
    }

    /// One update, or all of them in their order.
    func cameraUpdates(_ view: MapView) throws(CameraFault) -> [CameraUpdate] {
        if update != nil, updates != nil { throw .malformed("update", expected: "update or updates, not both") }
        if let update { return [try update.cameraUpdate(view, path: "update")] }
        guard (updates?.count ?? 0) <= Self.mostUpdates else {
            throw .malformed("updates", expected: "at most 1,000 updates")
        }
        var result: [CameraUpdate] = []
        for (index, update) in (updates ?? []).enumerated() {
            result.append(try update.cameraUpdate(view, path: "updates[\(index)]"))
        }
        return result
    }

    private static let mostUpdates = 1_000
}

extension CameraBody.CameraJSON {
    func position(_ view: MapView, path: String) throws(CameraFault) -> CameraPosition {
        guard let lat else { throw .missing("\(path).lat") }
        guard let lng else { throw .missing("\(path).lng") }
        if viewingAngle != nil, tilt != nil {
            throw .malformed("\(path).viewingAngle", expected: "viewingAngle or tilt, not both")
        }
        do throws(CameraError) {
            return try CameraPosition(
                latitude: lat, longitude: lng, zoom: zoom ?? view.minZoom, bearing: bearing ?? 0,
                viewingAngle: viewingAngle ?? tilt ?? 0)
        } catch {
            throw CameraFault(error, prefix: path + ".")
        }
    }
}
