import JSON
import MapGeometry
import MapService

extension CameraBody {
    /// One movement of a camera in JSON: its `type`, and the fields of this type.
    struct UpdateJSON {
        let type: String
        let fields: JSONObject

        /// The field names of each type.
        private static let names = [
            "zoomIn": [], "zoomOut": [], "zoomTo": ["zoom"], "zoomBy": ["delta", "point"],
            "setTarget": ["target", "zoom"], "setCamera": ["camera"], "scrollBy": ["x", "y"],
            "fitBounds": ["bounds", "padding", "insets"],
            "toLocation": ["target"], "toZoom": ["zoom"], "toBearing": ["bearing"],
            "toViewingAngle": ["viewingAngle", "tilt"],
        ]

        private static let allNames = ["type"] + Set(names.values.joined())

        /// Reads an update. Throws `JSONError` or `CameraRequestError`.
        init(_ value: JSONValue) throws {
            let update = try value.object(Self.allNames)
            type = try update.required("type").string()
            guard let names = Self.names[type] else {
                throw CameraRequestError.malformed(
                    update.path(to: "type"), expected: "a type of camera update, such as zoomTo")
            }
            fields = try value.object(["type"] + names)
        }
    }
}

extension CameraBody.UpdateJSON {
    func cameraUpdate(_ view: MapView) throws(CameraRequestError) -> CameraUpdate {
        try CameraRequestError.translating { try read(view) }
    }

    /// Converts the JSON fields to a `CameraUpdate`. Throws `JSONError` or `CameraRequestError`.
    private func read(_ view: MapView) throws -> CameraUpdate {
        switch type {
        case "zoomIn": return .zoomIn
        case "zoomOut": return .zoomOut
        case "zoomTo", "toZoom": return .zoom(to: try number("zoom"))
        case "zoomBy":
            let delta = try number("delta")
            guard let point = try fields["point"]?.numbers(2) else { return .zoom(by: delta) }
            return .zoom(by: delta, at: ScreenPoint(x: point[0], y: point[1]))
        case "setTarget", "toLocation":
            let target = try fields.required("target").numbers(2)
            return .setTarget(latitude: target[0], longitude: target[1], zoom: try fields["zoom"]?.number())
        case "setCamera":
            return .setCamera(try CameraBody.CameraJSON(fields.required("camera")).position(view))
        case "scrollBy": return .scrollBy(x: try number("x"), y: try number("y"))
        case "fitBounds": return try fitting()
        case "toBearing": return .toBearing(try number("bearing"))
        case "toViewingAngle":
            guard let angle = try fields.viewingAngle() else {
                throw CameraRequestError.missing(fields.path(to: "viewingAngle"))
            }
            return .toViewingAngle(angle)
        default:
            throw CameraRequestError.malformed(
                fields.path(to: "type"), expected: "a type of camera update, such as zoomTo")
        }
    }

    private func number(_ name: String) throws(JSONError) -> Double { try fields.required(name).number() }

    private func fitting() throws -> CameraUpdate {
        let box = try fields.required("bounds").coordinateBounds()
        let (padding, insets) = (try fields["padding"]?.number(), try fields["insets"]?.insets())
        if padding != nil, insets != nil {
            throw CameraRequestError.malformed(fields.path(to: "padding"), expected: "padding or insets, not both")
        }
        if let padding { return .fit(box, withPadding: padding) }
        return insets.map { .fit(box, with: $0) } ?? .fit(box)
    }
}

extension JSONValue {
    /// Reads an object with the corners `sw` and `ne`. Throws `JSONError` or `CameraRequestError`.
    fileprivate func coordinateBounds() throws -> CoordinateBounds {
        let corners = try object(["sw", "ne"])
        // Bounds without corners are empty, as in the SDK.
        if corners["sw"] == nil, corners["ne"] == nil { return .empty }
        let (southWest, northEast) = (try corners.required("sw").corner(), try corners.required("ne").corner())
        do throws(CameraError) {
            return try CoordinateBounds.checked(southWest: southWest, northEast: northEast)
        } catch {
            throw CameraRequestError(error, field: path)
        }
    }

    /// Reads a corner as `[lat, lng]`.
    private func corner() throws -> Coordinate {
        let numbers = try numbers(2)
        guard let coordinate = Coordinate(validating: numbers[0], longitude: numbers[1]) else {
            throw CameraRequestError.malformed(path, expected: "[lat, lng] with a latitude in -90…90")
        }
        return coordinate
    }
}
