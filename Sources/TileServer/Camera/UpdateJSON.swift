import MapGeometry

extension CameraBody {
    /// One way to move a camera, as model.md 7 writes it.
    struct UpdateJSON: Decodable {
        let type: String
        let zoom: Double?
        let delta: Double?
        let point: [Double]?
        let target: [Double]?
        let camera: CameraJSON?
        let x: Double?
        let y: Double?
        let bounds: BoundsJSON?
        let padding: Double?
        let insets: InsetsJSON?
        let bearing: Double?
        let viewingAngle: Double?
    }

    struct BoundsJSON: Decodable {
        let sw: [Double]?
        let ne: [Double]?
    }
}

extension CameraBody.UpdateJSON {
    /// `path`: where it stands in the request.
    func cameraUpdate(_ view: MapView, path: String) throws(CameraFault) -> CameraUpdate {
        func needed(_ value: Double?, _ name: String) throws(CameraFault) -> Double {
            guard let value else { throw .missing("\(path).\(name)") }
            return value
        }
        switch type {
        case "zoomIn": return .zoomIn
        case "zoomOut": return .zoomOut
        case "zoomTo": return .zoomTo(try needed(zoom, "zoom"))
        case "zoomBy":
            let delta = try needed(delta, "delta")
            guard let point else { return .zoomBy(delta) }
            let (x, y) = try Self.pair(point, "\(path).point", expected: "[x, y]")
            return .zoomByAtPoint(delta, ScreenPoint(x: x, y: y))
        case "setTarget":
            let (latitude, longitude) = try place(path)
            guard let zoom else { return .setTarget(latitude: latitude, longitude: longitude) }
            return .setTargetAndZoom(latitude: latitude, longitude: longitude, zoom: zoom)
        case "setCamera":
            guard let camera else { throw .missing("\(path).camera") }
            return .setCamera(try camera.position(view, path: "\(path).camera"))
        case "scrollBy": return .scrollBy(x: try needed(x, "x"), y: try needed(y, "y"))
        case "fitBounds": return try fitting(path)
        case "toLocation":
            let (latitude, longitude) = try place(path)
            return .toLocation(latitude: latitude, longitude: longitude)
        case "toZoom": return .toZoom(try needed(zoom, "zoom"))
        case "toBearing": return .toBearing(try needed(bearing, "bearing"))
        case "toViewingAngle": return .toViewingAngle(try needed(viewingAngle, "viewingAngle"))
        default: throw .malformed("\(path).type", expected: "one of the types of camera updates")
        }
    }

    private func place(_ path: String) throws(CameraFault) -> (Double, Double) {
        guard let target else { throw .missing("\(path).target") }
        return try Self.pair(target, "\(path).target", expected: "[lat, lng]")
    }

    private func fitting(_ path: String) throws(CameraFault) -> CameraUpdate {
        guard let bounds else { throw .missing("\(path).bounds") }
        let box = try bounds.coordinateBounds(path: "\(path).bounds")
        if padding != nil, insets != nil {
            throw .malformed("\(path).padding", expected: "padding or insets, not both")
        }
        if let padding { return .fitBoundsWithPadding(box, padding) }
        return insets.map { .fitBoundsWithInsets(box, $0.insets) } ?? .fitBounds(box)
    }

    private static func pair(
        _ values: [Double], _ field: String, expected: StaticString
    ) throws(CameraFault) -> (Double, Double) {
        guard values.count == 2 else { throw .malformed(field, expected: expected) }
        return (values[0], values[1])
    }
}

extension CameraBody.BoundsJSON {
    func coordinateBounds(path: String) throws(CameraFault) -> CoordinateBounds {
        // Bounds that nobody gave corners are the SDK's empty ones.
        if sw == nil, ne == nil { return .empty }
        let southWest = try Self.corner(sw, "\(path).sw")
        let northEast = try Self.corner(ne, "\(path).ne")
        do throws(CameraError) {
            return try CoordinateBounds(southWest: southWest, northEast: northEast)
        } catch {
            throw CameraFault(error)
        }
    }

    private static func corner(_ values: [Double]?, _ field: String) throws(CameraFault) -> Coordinate {
        guard let values else { throw .missing(field) }
        guard values.count == 2, let place = Coordinate(latitude: values[0], longitude: values[1]) else {
            throw .malformed(field, expected: "[lat, lng] with a latitude in -90…90")
        }
        return place
    }
}
