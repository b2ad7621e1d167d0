import Foundation

/// How the whole zoom of tiles follows from the fractional zoom of a camera (docs/spec/model.md Q6, 3.5).
public enum TileZoomRule: String, Hashable, Sendable, CaseIterable {
    /// The nearest; halves go up.
    case round
    /// The one below.
    case floor

    /// The zoom of tiles of `tileSize` pixels a side on a screen of `scale` pixels a point, for a camera at `zoom`:
    /// round or floor of zoom + log2(256 · scale / tileSize), clamped to 0…30.
    public func tileZoom(cameraZoom zoom: Double, scale: Int = 1, tileSize: Int = 256) -> Int {
        let exact = zoom + Self.offset(scale: scale, tileSize: tileSize)
        let whole = self == .round ? (exact + 0.5).rounded(.down) : exact.rounded(.down)
        // Through the clamp NaN becomes 0: max and min return their other operand.
        return Int(Double.minimum(Double.maximum(whole, 0), Double(TileCoordinate.maxZoom)))
    }

    /// Levels between a camera's zoom and its tiles': log2(256 · scale / tileSize). Sizes below 1 count as 1.
    static func offset(scale: Int, tileSize: Int) -> Double {
        log2(Mercator.tilePoints * Double(max(scale, 1)) / Double(max(tileSize, 1)))
    }
}
