/// A layer that draws its tiles itself at each of `TileSize.scales`.
package protocol ScalableTileLayer: SyncTileLayer {
    /// What drawing may throw; nothing, unless the layer says otherwise.
    associatedtype Failure: Error = Never

    /// Draws the tile at `scale` pixels per point.
    func drawTile(x: Int, y: Int, zoom: Int, scale: Int) throws(Failure) -> SyncTile?
}

extension ScalableTileLayer {
    package var scales: ClosedRange<Int> { TileSize.scales }

    package func tile(x: Int, y: Int, zoom: Int) throws(Failure) -> SyncTile? {
        try drawTile(x: x, y: y, zoom: zoom, scale: 1)
    }

    package func tile(x: Int, y: Int, zoom: Int, scale: Int) throws(Failure) -> SyncTile? {
        try drawTile(x: x, y: y, zoom: zoom, scale: scale)
    }
}
