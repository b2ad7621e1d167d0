import Raster

/// A source that draws its tiles at once: the server side of `GMSSyncTileLayer`.
///
/// Thread rule: called on the server's work queues, from several threads at the same time; it may block and compute.
public protocol SyncTileLayer: Sendable {
    /// The tile at column `x`, row `y` of `zoom`, at one pixel per point: as many pixels a side as the layer's `tileSize`;
    /// another size is scaled to it.
    ///
    /// Nil means "not available now" (the server asks again later); `.noTile` means there is none. A thrown error counts
    /// as nil and is logged, but for an `Unavailability`, which says by itself why there is no tile now.
    func tile(x: Int, y: Int, zoom: Int) throws -> SyncTile?

    /// The same tile at `scale` pixels per point, one of `scales`: `scale` times as wide and high, with lines and labels of
    /// `scale` times as many pixels.
    ///
    /// A layer that does not implement this draws at scale 1 alone. The server makes the other scales, up to 4, of its tiles
    /// one zoom deeper, or enlarges where there are none.
    func tile(x: Int, y: Int, zoom: Int, scale: Int) throws -> SyncTile?

    /// Draws a tile that may take long: nil if `isWanted` says no before the tile is done. `isWanted` belongs to the thread
    /// that calls this. A layer that never calls `isWanted` draws its tiles to the end.
    func tile(x: Int, y: Int, zoom: Int, scale: Int, isWanted: () -> Bool) throws -> SyncTile?

    /// The scales that the layer draws itself, within 1…4; 1 alone unless the layer says otherwise.
    var scales: ClosedRange<Int> { get }

    /// For how many seconds a tile is good whose drawing begins now; asked before each tile. Nil, unless the layer says
    /// otherwise: until the server's own time for the layer runs out.
    var lifetime: Int? { get }
}

extension SyncTileLayer {
    /// 1 alone.
    public var scales: ClosedRange<Int> { 1...1 }

    /// Nil: the server's own time for the layer holds.
    public var lifetime: Int? { nil }

    /// `tile(x:y:zoom:)` at scale 1, and no tile at any other.
    public func tile(x: Int, y: Int, zoom: Int, scale: Int) throws -> SyncTile? {
        scale == 1 ? try tile(x: x, y: y, zoom: zoom) : .noTile
    }

    /// `tile(x:y:zoom:scale:)`, which draws to the end.
    public func tile(x: Int, y: Int, zoom: Int, scale: Int, isWanted: () -> Bool) throws -> SyncTile? {
        try tile(x: x, y: y, zoom: zoom, scale: scale)
    }

    /// For a layer that implements `tile(x:y:zoom:scale:)` alone. Not public: a program's layer with neither would not end.
    package func tile(x: Int, y: Int, zoom: Int) throws -> SyncTile? {
        try tile(x: x, y: y, zoom: zoom, scale: 1)
    }
}

/// What a `SyncTileLayer` gives back where it has an answer.
public enum SyncTile: Sendable {
    /// Pixels, which the server encodes as PNG.
    case image(Pixmap)
    /// The same, of a tile that was drawn smaller and enlarged: `growth` pixels a side stand for one that was drawn.
    /// Clients are told (`X-Tile-Upscaled`).
    case coarse(Pixmap, growth: Int)
    /// An image that is encoded already; its bytes are sent untouched.
    case encoded(Tile)
    /// `kGMSTileLayerNoTile`: no tile exists here.
    case noTile
}
