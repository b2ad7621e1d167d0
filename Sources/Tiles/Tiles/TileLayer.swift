import MapGeometry

/// A source of tiles that may take its time: the server side of `GMSTileLayer`.
///
/// Thread rule: `tile(at:scale:)` is called from any thread and for several tiles at once; it must not block. Work that
/// blocks or computes belongs into a `SyncTileLayer`. A result that does not come within the layer's `timeout` counts
/// as `.unavailable(.timeout)`.
public protocol TileLayer: Sendable {
    /// The tile at `coordinate`, drawn for `scale` pixels per point: `tileSize` × `scale` pixels a side. Asked only for the
    /// scales that the layer was added with.
    func tile(at coordinate: TileCoordinate, scale: Int) async -> TileResult
}

/// What a layer answers: an image, `kGMSTileLayerNoTile`, or nil in the SDK's terms.
public enum TileResult: Sendable {
    /// There is a tile and this is it.
    case tile(Tile)
    /// There is no tile at this coordinate, and there will be none until the layer is cleared. Cached like a tile.
    case noTile
    /// There is no answer now, and there may be one later. Never cached.
    case unavailable(Unavailability)
}
