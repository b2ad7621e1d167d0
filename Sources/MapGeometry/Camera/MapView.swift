import Foundation

/// A map as one caller sees it: what it allows its camera, and the rectangle it is seen in.
///
/// A pure value: its functions give the cameras that the SDK's map view would come to rest at (docs/spec/model.md 5 to 7).
public struct MapView: Hashable, Sendable {
    public let rules: CameraRules
    /// Nil where a caller names no size: then whatever needs one throws `viewMissing`.
    public let viewport: Viewport?

    public init(rules: CameraRules = CameraRules(), viewport: Viewport? = nil) {
        self.rules = rules
        self.viewport = viewport
    }

    /// The farthest zoom in effect: the map's, or the one at which the world is as tall as the view where the map fills
    /// it; never above `maxZoom` (docs/spec/model.md 6.3, ruling 18).
    public var minZoom: Double {
        guard rules.fillsViewport, let viewport else { return rules.zoomRange.minimum }
        return min(max(rules.zoomRange.minimum, log2(viewport.height / Mercator.tilePoints)), maxZoom)
    }

    /// The closest zoom in effect.
    public var maxZoom: Double { rules.zoomRange.maximum }

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
