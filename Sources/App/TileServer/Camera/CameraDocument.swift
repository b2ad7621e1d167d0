import MapGeometry
import MapService

/// Converts cameras and their views to JSON (docs/reference/http.md).
package enum CameraDocument {
    /// Returns the camera as one line, for a command line.
    package static func json(_ camera: ResolvedCamera, in view: MapView) -> String {
        String(decoding: JSONBody.bytes(self.camera(camera, view)).array, as: UTF8.self)
    }

    /// Returns the camera as JSON. `visibleRegion` is present only if there is a viewport, and is null if one corner of
    /// the view shows no ground.
    static func camera(_ camera: ResolvedCamera, _ view: MapView) -> [String: Any] {
        var document: [String: Any] = [
            "camera": position(camera.position), "clamped": camera.clamped.map(\.rawValue),
        ]
        guard view.viewport != nil else { return document }
        // Throws only if a corner is above the horizon.
        let seen = try? view.projection(of: camera.position).visibleRegion
        document["visibleRegion"] = seen.map(region) ?? JSONBody.null
        return document
    }

    static func position(_ position: CameraPosition) -> [String: Any] {
        [
            "lat": position.latitude, "lng": position.longitude, "zoom": position.zoom, "bearing": position.bearing,
            "viewingAngle": position.viewingAngle,
        ]
    }

    /// Answers a question about the projection, for example at which point of the screen a coordinate appears. Throws
    /// `CameraError` or `CameraRequestError`.
    static func projection(
        _ projection: Projection, _ question: CameraQuestion, _ parameters: QueryParameters
    ) throws -> [String: Any] {
        switch question {
        case .point:
            guard let point = projection.point(for: try parameters.coordinate("coordinate")) else {
                return ["x": JSONBody.null, "y": JSONBody.null, "visible": false]
            }
            return ["x": point.x, "y": point.y, "visible": projection.isVisible(point)]
        case .coordinate:
            guard let numbers = try parameters.numbers("point", count: 2, expected: "x,y") else {
                throw CameraRequestError.missing("point")
            }
            let ground = try projection.coordinate(at: ScreenPoint(x: numbers[0], y: numbers[1]))
            var document = json(ground.coordinate)
            if ground.isOutside { document["outside"] = true }
            return document
        case .visibleRegion: return region(try projection.visibleRegion)
        case .pointsForMeters:
            let meters = try parameters.required("meters")
            return ["points": try projection.points(forMetres: meters, at: try parameters.coordinate("coordinate"))]
        case .contains: return ["contains": projection.contains(try parameters.coordinate("coordinate"))]
        case .camera, .animation, .forBounds, .cover: return [:]
        }
    }

    static func cover(_ cover: TileCover) -> [String: Any] {
        [
            "zoom": cover.zoom,
            "tiles": cover.tiles.map {
                ["z": $0.tile.z, "x": $0.tile.x, "y": $0.tile.y, "rawX": $0.rawX]
            },
        ]
    }

    private static func region(_ region: VisibleRegion) -> [String: Any] {
        [
            "nearLeft": json(region.nearLeft), "nearRight": json(region.nearRight),
            "farLeft": json(region.farLeft), "farRight": json(region.farRight),
        ]
    }

    private static func json(_ coordinate: Coordinate) -> [String: Any] {
        ["lat": coordinate.latitude, "lng": coordinate.longitude]
    }
}
