import Raster
import Tiles

/// The SDK's sample of a synchronous layer: an image in every odd column, no tile in the even ones (docs/spec/model.md 3.2).
public struct OddColumnsLayer: SyncTileLayer {
    /// Points a side.
    public let tileSize: TileSize

    public init(tileSize: TileSize = .standard) {
        self.tileSize = tileSize
    }

    public var scales: ClosedRange<Int> { 1...4 }

    public func tile(x: Int, y: Int, zoom: Int) -> SyncTile? {
        tile(x: x, y: y, zoom: zoom, scale: 1)
    }

    public func tile(x: Int, y: Int, zoom: Int, scale: Int) -> SyncTile? {
        guard x % 2 != 0 else { return .noTile }
        return .image(IslandPicture(side: tileSize.pixels(scale: scale)).pixmap())
    }
}
