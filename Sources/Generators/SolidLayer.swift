import Raster
import Tiles

/// One colour everywhere.
public struct SolidLayer: SyncTileLayer {
    /// The colour of every pixel.
    public let color: RGBA
    /// Pixels a side at scale 1.
    public let tileSize: TileSize

    /// `color` may be translucent.
    public init(color: RGBA, tileSize: TileSize = .standard) {
        self.color = color
        self.tileSize = tileSize
    }

    public var scales: ClosedRange<Int> { 1...4 }

    public func tile(x: Int, y: Int, zoom: Int) -> SyncTile? {
        tile(x: x, y: y, zoom: zoom, scale: 1)
    }

    public func tile(x: Int, y: Int, zoom: Int, scale: Int) -> SyncTile? {
        let side = tileSize.pixels(scale: scale)
        return .image(Pixmap(width: side, height: side, color: color))
    }
}
