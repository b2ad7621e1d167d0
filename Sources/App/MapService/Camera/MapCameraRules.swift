import Configuration
import MapGeometry

/// What a map, or a layer that stands for a map of its own, allows its camera.
package struct MapCameraRules: Sendable {
    package let rules: CameraRules
    /// Points at the view's edges that are covered, where a request says nothing.
    package let padding: EdgeInsets
    /// The map's own camera. Nil: it has none.
    package let camera: CameraPosition?

    /// The settings are those that a configuration's checks let through; what they did not is as if it was not set.
    package init(_ settings: LayerSettings) {
        let map: MapSource? = if case .map(let map) = settings.source { map } else { nil }
        let limits = map?.limits ?? MapLimits()
        rules = CameraRules(
            zoomRange: Self.zooms(settings), fillsViewport: limits.fillViewport,
            viewingAngleLimit: Self.angles(limits), targetBounds: Self.targets(limits),
            tileZoomRule: limits.tileZoom == .floor ? .floor : .round)
        let edges = limits.padding
        padding =
            edges.count == 4
            ? EdgeInsets(top: edges[0], left: edges[1], bottom: edges[2], right: edges[3]) : .zero
        camera = map?.camera.flatMap { camera in
            // Only what is not finite is refused.
            try? CameraPosition(
                latitude: camera.latitude, longitude: camera.longitude, zoom: camera.zoom, bearing: camera.bearing,
                viewingAngle: camera.viewingAngle)
        }
    }

    /// `padding` nil: the map's own, where it leaves something of the view.
    package func viewport(width: Double, height: Double, padding: EdgeInsets? = nil) throws(CameraRequestError)
        -> Viewport
    {
        do throws(CameraError) {
            if let padding { return try Viewport(width: width, height: height, padding: padding) }
            let fits =
                self.padding.left + self.padding.right < width && self.padding.top + self.padding.bottom < height
            return try Viewport(width: width, height: height, padding: fits ? self.padding : .zero)
        } catch {
            throw CameraRequestError(error)
        }
    }

    /// The map in an image of this size; its camera is the map's own.
    func view(_ size: ImageSize, padding: EdgeInsets? = nil) throws(CameraRequestError) -> MapView {
        let viewport = try viewport(width: Double(size.width), height: Double(size.height), padding: padding)
        return MapView(rules: rules, viewport: viewport, camera: camera)
    }

    private static func zooms(_ settings: LayerSettings) -> ZoomRange {
        let (minimum, maximum) = settings.cameraZooms
        let range = try? ZoomRange(minimum: minimum, maximum: maximum)
        // The ends were checked when they were read.
        return range ?? .standard
    }

    private static func angles(_ limits: MapLimits) -> ViewingAngleLimit {
        let standard: ViewingAngleLimit = limits.profile == .android ? .android : .sdk
        guard let knots = limits.maxTiltKnots else { return standard }
        let limit = try? ViewingAngleLimit(knots: knots.map { ViewingAngleLimit.Knot(zoom: $0.zoom, angle: $0.angle) })
        // The order was checked when they were read.
        return limit ?? standard
    }

    private static func targets(_ limits: MapLimits) -> TargetBounds? {
        guard let box = limits.targetBounds, let southWest = Coordinate(latitude: box.south, longitude: box.west),
            let northEast = Coordinate(latitude: box.north, longitude: box.east),
            let bounds = try? CoordinateBounds(southWest: southWest, northEast: northEast)
        else { return nil }
        // South is below north: that was checked when they were read.
        return try? TargetBounds(bounds, mode: limits.targetBoundsMode == .strict ? .strict : .gestures)
    }
}
