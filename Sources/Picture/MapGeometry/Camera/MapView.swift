import Foundation

/// A map as one caller sees it: the limits of its camera, the size of its view, and the position of its camera. The
/// type corresponds to the SDK's GMSMapView (docs/spec/model.md 5 to 7).
///
/// A map is a plain value, and a copy is an independent map. Nothing moves by itself. After each change of a property,
/// `normalized(_:)` adjusts the camera.
///
///     var map = MapView(viewport: Viewport(width: 800, height: 600))
///     try map.moveCamera(.fit(bounds))
///     let flight = try map.animate(with: .zoomIn, duration: 0.5)
public struct MapView: Hashable, Sendable {
    /// The limits of the camera. A change normalizes the current camera.
    public var rules: CameraRules { didSet { camera = normalized(camera).position } }
    /// The size of the view and its padding. The view is nil if the caller gives no size. Functions that need a size
    /// then throw `viewMissing`.
    public var viewport: Viewport? { didSet { camera = normalized(camera).position } }
    /// The position of the camera. A new position takes effect at once, clamped and wrapped by `normalized(_:)`.
    public var camera: CameraPosition { didSet { camera = normalized(camera).position } }

    /// Creates a map whose camera is the normalized `camera`, or `defaultCamera` if `camera` is nil.
    public init(rules: CameraRules = CameraRules(), viewport: Viewport? = nil, camera: CameraPosition? = nil) {
        self.rules = rules
        self.viewport = viewport
        self.camera = CameraPosition(finiteLatitude: 0, longitude: 0, zoom: 0)
        self.camera = camera.map { normalized($0).position } ?? defaultCamera
    }

    /// The lowest zoom in effect. Normally this is the minimum of the map's zoom range. With `fillsViewport` and a
    /// view, the lowest zoom is at least the zoom at which the world is as tall as the view. The lowest zoom is never
    /// above `maxZoom` (docs/spec/model.md 6.3, ruling 18).
    public var minZoom: Double {
        guard rules.fillsViewport, let viewport else { return rules.zoomRange.minimum }
        return min(max(rules.zoomRange.minimum, log2(viewport.height / Mercator.tilePoints)), maxZoom)
    }

    /// The highest zoom in effect.
    public var maxZoom: Double { rules.zoomRange.maximum }

    /// Limits the camera to a range of zooms, as the SDK's setMinZoom:maxZoom: does. A camera outside the range moves
    /// to the nearest zoom at once. Throws the errors of `ZoomRange.init`.
    public mutating func setMinZoom(_ minimum: Double, maxZoom maximum: Double) throws(CameraError) {
        rules.zoomRange = try ZoomRange(minimum: minimum, maximum: maximum)
    }

    /// Sets the padding, the width at each edge of the view that other things cover. The camera's target is then drawn
    /// in the middle of the rest. Throws `viewMissing` if the map has no view, and the errors of `Viewport.init`.
    public mutating func setPadding(_ padding: EdgeInsets) throws(CameraError) {
        let viewport = try requiredViewport()
        self.viewport = try Viewport.checked(width: viewport.width, height: viewport.height, padding: padding)
    }

    /// The camera of a map for which no camera is given. This camera looks at latitude and longitude 0 from the lowest
    /// zoom, within the limits of the map (docs/spec/model.md Q11).
    public var defaultCamera: CameraPosition {
        normalized(CameraPosition(finiteLatitude: 0, longitude: 0, zoom: minZoom)).position
    }

    /// Returns the camera that the map shows for `position`. All values are clamped or wrapped in the order of
    /// docs/spec/model.md 5.1. Normalizing a normalized camera changes nothing.
    public func normalized(_ position: CameraPosition) -> ResolvedCamera {
        normalized(position, afterGesture: false)
    }

    /// Normalizes `position`. Target bounds of the mode `gestures` apply only if `afterGesture` is true.
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

    /// Returns the view. Throws `viewMissing` if the map has none.
    func requiredViewport() throws(CameraError) -> Viewport {
        guard let viewport else { throw .viewMissing }
        return viewport
    }
}
