import Foundation

/// A camera to the precision at which pictures differ, as whole numbers: the key of a picture (docs/spec/model.md 6.2, ruling 5).
///
/// The target is on a grid of 1/64 pixel at the camera's zoom, the zoom a multiple of 1e-4, bearing and viewing angle
/// multiples of 1e-3°.
package struct QuantizedCamera: Hashable, Sendable {
    /// 1/64 pixels from the world's western edge.
    package let x: Int
    /// 1/64 pixels from the world's northern edge.
    package let y: Int
    /// 1e-4 zooms, in 0…300000.
    package let zoom: Int
    /// 1e-3 degrees, in 0..<360000.
    package let bearing: Int
    /// 1e-3 degrees, in 0…90000.
    package let viewingAngle: Int
    /// Pixels a point, in 1…4.
    package let scale: Int

    /// The camera nearest to `position`, which need not be normalized: latitudes count as within ±85°, zooms as in 0…30
    /// and viewing angles as in 0…90°; longitudes and bearings wrap. Pictures have `scale` pixels a point, clamped to
    /// 1…4.
    package init(_ position: CameraPosition, scale: Int = 1) {
        self.scale = min(max(scale, 1), 4)
        zoom = Int((position.zoom.clamped(to: 0...Double(TileCoordinate.maxZoom)) * 1e4).rounded())
        bearing = Int((position.bearing.modulo(360) * 1e3).rounded()) % 360_000
        viewingAngle = Int((position.viewingAngle.clamped(to: 0...90) * 1e3).rounded())
        let steps = Self.steps(zoom: zoom, scale: self.scale)
        let target = Mercator.project(
            Coordinate(
                validLatitude: position.latitude.clamped(to: CameraRules.latitudes),
                longitude: position.longitude.wrappedLongitude))
        let column = (target.x * steps).rounded()
        // The eastern edge is the western one.
        x = column < steps.rounded() ? Int(column) : 0
        y = Int((target.y * steps).rounded())
    }

    /// The camera that the numbers stand for, which is the one to draw. Its key is this one again.
    package var position: CameraPosition {
        let steps = Self.steps(zoom: zoom, scale: scale)
        let target = Mercator.unproject(WorldPoint(x: Double(x) / steps, y: Double(y) / steps))
        return CameraPosition(
            finiteLatitude: target.latitude.clamped(to: CameraRules.latitudes), longitude: target.longitude,
            zoom: Double(zoom) / 1e4, bearing: Double(bearing) / 1e3, viewingAngle: Double(viewingAngle) / 1e3)
    }

    /// The grid's steps across the world: at most 2^46, far from an overflow.
    private static func steps(zoom: Int, scale: Int) -> Double {
        Mercator.worldSize(zoom: Double(zoom) / 1e4) * 64 * Double(scale)
    }
}

extension CameraPosition {
    /// Whether the two look alike on a screen of `scale` pixels a point, the SDK's areEqualForRendering.
    public func isEqualForRendering(to other: CameraPosition, scale: Int = 1) -> Bool {
        QuantizedCamera(self, scale: scale) == QuantizedCamera(other, scale: scale)
    }
}
