import Configuration
import MapGeometry

/// The limits of a camera over a map, or over a layer that stands for a map of its own.
package struct MapCameraRules: Sendable {
    package let rules: CameraRules
    /// Points at the view's edges that are covered, where a request says nothing.
    package let padding: EdgeInsets
    /// The map's own camera. Nil: it has none.
    package let camera: CameraPosition?

    /// `padding` nil: the map's own, where it leaves something of the view.
    package func viewport(width: Double, height: Double, padding: EdgeInsets? = nil) throws(CameraRequestError)
        -> Viewport
    {
        do throws(CameraError) {
            let own = self.padding
            let fits = own.left + own.right < width && own.top + own.bottom < height
            return try Viewport(width: width, height: height, padding: padding ?? (fits ? own : .zero))
        } catch {
            throw CameraRequestError(error)
        }
    }

    /// The map in an image of this size; its camera is the map's own.
    func view(_ size: ImageSize, padding: EdgeInsets? = nil) throws(CameraRequestError) -> MapView {
        let viewport = try viewport(width: Double(size.width), height: Double(size.height), padding: padding)
        return MapView(rules: rules, viewport: viewport, camera: camera)
    }
}

extension MapCameraRules {
    /// Throws what the checks of a configuration refuse.
    package init(_ settings: LayerSettings) throws(CameraRequestError) {
        let map: MapSource? = if case .map(let map) = settings.source { map } else { nil }
        let limits = map?.limits ?? MapLimits()
        let edges = limits.padding
        do throws(CameraError) {
            self.init(
                rules: CameraRules(
                    zoomRange: try settings.cameraZooms, fillsViewport: limits.fillViewport,
                    viewingAngleLimit: try limits.viewingAngleLimit,
                    targetBounds: limits.targetBounds.map { TargetBounds($0, mode: limits.targetBoundsMode) },
                    tileZoomRule: limits.tileZoom),
                padding: edges.count == 4
                    ? EdgeInsets(top: edges[0], left: edges[1], bottom: edges[2], right: edges[3]) : .zero,
                camera: try map?.camera.map { camera throws(CameraError) in
                    try CameraPosition(
                        latitude: camera.latitude, longitude: camera.longitude, zoom: camera.zoom,
                        bearing: camera.bearing, viewingAngle: camera.viewingAngle)
                })
        } catch {
            throw CameraRequestError(error)
        }
    }
}
