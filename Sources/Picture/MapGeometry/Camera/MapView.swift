import Foundation

/// A map as one caller sees it: what it allows its camera, the rectangle it is seen in, and where the camera is. What the SDK's
/// GMSMapView is to its camera (docs/spec/model.md 5 to 7).
///
/// A pure value: nothing moves by itself, and a copy is a second map. Whatever is set, the camera stays one that the map
/// allows.
///
///     var map = MapView(viewport: try Viewport(width: 800, height: 600))
///     try map.moveCamera(.fit(bounds))
///     let flight = try map.animate(with: .zoomIn, duration: 0.5)
public struct MapView: Hashable, Sendable {
    /// What the map allows its camera. A camera that a new rule does not allow moves to the nearest that it does.
    public var rules: CameraRules { didSet { camera = normalized(camera).position } }
    /// The rectangle with its padding. Nil where a caller names no size: then whatever needs one throws `viewMissing`.
    public var viewport: Viewport? { didSet { camera = normalized(camera).position } }
    /// Where the camera is. A position that is set moves it there at once, clamped and wrapped as `normalized(_:)` says.
    public var camera: CameraPosition { didSet { camera = normalized(camera).position } }

    /// A map with its camera at `camera`, or, where that is nil, at `defaultCamera`.
    public init(rules: CameraRules = CameraRules(), viewport: Viewport? = nil, camera: CameraPosition? = nil) {
        self.rules = rules
        self.viewport = viewport
        self.camera = CameraPosition(finiteLatitude: 0, longitude: 0, zoom: 0)
        self.camera = camera.map { normalized($0).position } ?? defaultCamera
    }

    /// The farthest zoom in effect: the map's, or the one at which the world is as tall as the view where the map fills
    /// it; never above `maxZoom` (docs/spec/model.md 6.3, ruling 18).
    public var minZoom: Double {
        guard rules.fillsViewport, let viewport else { return rules.zoomRange.minimum }
        return min(max(rules.zoomRange.minimum, log2(viewport.height / Mercator.tilePoints)), maxZoom)
    }

    /// The closest zoom in effect.
    public var maxZoom: Double { rules.zoomRange.maximum }

    /// Limits the camera to these zooms, the SDK's setMinZoom:maxZoom:. One outside of them moves to the nearest at once.
    /// Throws what `ZoomRange.init` throws.
    public mutating func setMinZoom(_ minimum: Double, maxZoom maximum: Double) throws(CameraError) {
        rules.zoomRange = try ZoomRange(minimum: minimum, maximum: maximum)
    }

    /// Covers the view's edges; the camera's target then is in the middle of what is left. Throws `viewMissing` without a
    /// view, and what `Viewport.init` throws.
    public mutating func setPadding(_ padding: EdgeInsets) throws(CameraError) {
        let viewport = try requiredViewport()
        self.viewport = try Viewport(width: viewport.width, height: viewport.height, padding: padding)
    }

    /// The camera of a map that names none: the whole world (docs/spec/model.md Q11).
    public var defaultCamera: CameraPosition {
        normalized(CameraPosition(finiteLatitude: 0, longitude: 0, zoom: minZoom)).position
    }

    /// The camera that the map shows when it is asked for `position`: everything clamped or wrapped, in the order of
    /// docs/spec/model.md 5.1. Doing so twice changes nothing more.
    public func normalized(_ position: CameraPosition) -> ResolvedCamera {
        normalized(position, afterGesture: false)
    }

    /// As above; target bounds for gestures apply `afterGesture`.
    func normalized(_ position: CameraPosition, afterGesture: Bool) -> ResolvedCamera {
        let zoom = position.zoom.clamped(to: minZoom...maxZoom)
        var resolved = CameraPosition(
            finiteLatitude: position.latitude.clamped(to: CameraRules.latitudes),
            longitude: position.longitude.wrappedLongitude, zoom: zoom, bearing: position.bearing.modulo(360),
            viewingAngle: position.viewingAngle.clamped(to: 0...rules.viewingAngleLimit.angle(atZoom: zoom)))
        if let targetBounds = rules.targetBounds, afterGesture || targetBounds.mode == .strict {
            resolved = targetBounds.clamp(resolved)
        }
        return ResolvedCamera(position: resolved, clamped: resolved.differences(from: position))
    }

    /// The view; throws `viewMissing` where there is none.
    func requiredViewport() throws(CameraError) -> Viewport {
        guard let viewport else { throw .viewMissing }
        return viewport
    }
}
