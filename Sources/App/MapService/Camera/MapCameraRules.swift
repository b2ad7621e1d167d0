import Configuration
import MapGeometry

/// The rules that limit the camera of a map, such as its zooms and its bounds. A layer that is shown as a map has such
/// rules too.
package struct MapCameraRules: Sendable {
    package let rules: CameraRules
    /// Covered points at the edges of the view, for a request without padding.
    package let padding: EdgeInsets
    /// The map's own camera. Nil if the map has none.
    package let camera: CameraPosition?

    /// Returns a viewport of this size. `padding` nil uses the map's own padding, if it leaves room in the view.
    package func viewport(width: Double, height: Double, padding: EdgeInsets? = nil) throws(CameraRequestError)
        -> Viewport
    {
        do throws(CameraError) {
            let own = self.padding
            let fits = own.left + own.right < width && own.top + own.bottom < height
            return try Viewport.checked(width: width, height: height, padding: padding ?? (fits ? own : .zero))
        } catch {
            throw CameraRequestError(error)
        }
    }

    /// Returns a view of the map for an image of this size. The camera is the map's own.
    func view(_ size: ImageSize, padding: EdgeInsets? = nil) throws(CameraRequestError) -> MapView {
        let viewport = try viewport(width: Double(size.width), height: Double(size.height), padding: padding)
        return MapView(rules: rules, viewport: viewport, camera: camera)
    }
}

extension MapCameraRules {
    /// Makes the rules from the settings of a layer or map. Throws if a value is invalid.
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
                    try CameraPosition.checked(
                        latitude: camera.latitude, longitude: camera.longitude, zoom: camera.zoom,
                        bearing: camera.bearing, viewingAngle: camera.viewingAngle)
                })
        } catch {
            throw CameraRequestError(error)
        }
    }
}
