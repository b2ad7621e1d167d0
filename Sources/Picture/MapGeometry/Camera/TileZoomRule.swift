import Foundation

/// The rule that chooses the zoom of the tiles for a camera (docs/spec/model.md Q6, 3.5). The zoom of a camera may be a
/// fraction, such as 10.4, but tiles exist only for whole zooms.
public enum TileZoomRule: String, Hashable, Sendable, CaseIterable {
    /// Rounds to the nearest whole zoom; halves round up.
    case round
    /// Rounds down.
    case floor

    /// Returns the zoom of the tiles for a camera at `zoom`. Tiles have `tileSize` pixels a side, and the screen has
    /// `scale` pixels per point. The result is the rounded value of zoom + log2(256 · scale / tileSize), clamped to
    /// 0…30.
    public func tileZoom(cameraZoom zoom: Double, scale: Int = 1, tileSize: Int = 256) -> Int {
        let exact = zoom + Self.offset(scale: scale, tileSize: tileSize)
        let whole = self == .round ? (exact + 0.5).rounded(.down) : exact.rounded(.down)
        // The clamp turns NaN into 0: `maximum` and `minimum` return the other operand if one is NaN.
        return Int(Double.minimum(Double.maximum(whole, 0), Double(TileCoordinate.maxZoom)))
    }

    /// Returns the difference between the zoom of the tiles and the zoom of the camera: log2(256 · scale / tileSize).
    /// Scales and tile sizes below 1 count as 1.
    static func offset(scale: Int, tileSize: Int) -> Double {
        log2(Mercator.tilePoints * Double(max(scale, 1)) / Double(max(tileSize, 1)))
    }
}
