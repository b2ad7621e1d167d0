import Foundation

/// A camera rounded to the steps at which rendered pictures differ, stored as whole numbers. A quantized camera is the
/// cache key of a picture (docs/spec/model.md 6.2, ruling 5).
///
/// The target is on a grid of 1/64 pixel at the camera's zoom. The zoom is a multiple of 1e-4. Bearing and viewing
/// angle are multiples of 1e-3°.
package struct QuantizedCamera: Hashable, Sendable {
    /// Distance from the world's western edge in 1/64 pixels.
    package let x: Int
    /// Distance from the world's northern edge in 1/64 pixels.
    package let y: Int
    /// The zoom in steps of 1e-4, in 0…300000.
    package let zoom: Int
    /// The bearing in steps of 1e-3 degrees, in 0..<360000.
    package let bearing: Int
    /// The viewing angle in steps of 1e-3 degrees, in 0…90000.
    package let viewingAngle: Int
    /// Pixels per point, in 1…4.
    package let scale: Int

    /// Rounds `position` to the grid. The position need not be normalized: latitudes are clamped to ±85°, zooms to 0…30
    /// and viewing angles to 0…90°, while longitudes and bearings wrap. `scale` is the number of pixels per point,
    /// clamped to 1…4.
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
        // The eastern edge is the same meridian as the western edge.
        x = column < steps.rounded() ? Int(column) : 0
        y = Int((target.y * steps).rounded())
    }

    /// The camera to draw, computed back from the whole numbers. Quantizing this camera gives the same key again.
    package var position: CameraPosition {
        let steps = Self.steps(zoom: zoom, scale: scale)
        let target = Mercator.unproject(WorldPoint(x: Double(x) / steps, y: Double(y) / steps))
        return CameraPosition(
            finiteLatitude: target.latitude.clamped(to: CameraRules.latitudes), longitude: target.longitude,
            zoom: Double(zoom) / 1e4, bearing: Double(bearing) / 1e3, viewingAngle: Double(viewingAngle) / 1e3)
    }

    /// Returns the number of grid steps across the world. The number is at most 2^46, which is far from an overflow.
    private static func steps(zoom: Int, scale: Int) -> Double {
        Mercator.worldSize(zoom: Double(zoom) / 1e4) * 64 * Double(scale)
    }
}

extension CameraPosition {
    /// Reports whether the two cameras look alike on a screen of `scale` pixels per point. The function corresponds to
    /// the SDK's areEqualForRendering.
    public func isEqualForRendering(to other: CameraPosition, scale: Int = 1) -> Bool {
        QuantizedCamera(self, scale: scale) == QuantizedCamera(other, scale: scale)
    }
}
