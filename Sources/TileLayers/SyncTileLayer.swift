import Raster

/// A source that draws its tiles at once: the server side of `GMSSyncTileLayer`.
///
/// Thread rule: called on the server's work queues, from several threads at the same time; it may block and compute.
public protocol SyncTileLayer: Sendable {
    /// The tile at column `x`, row `y` of `zoom`, at one pixel per point.
    ///
    /// Nil means "not available now" (the server asks again later); `.noTile` means there is none. A thrown error counts
    /// as nil and is logged.
    func tile(x: Int, y: Int, zoom: Int) throws -> SyncTile?

    /// The same tile at `scale` (2…4) pixels per point, so `scale` times as wide and high.
    ///
    /// A layer that does not implement this has no tiles but at scale 1.
    func tile(x: Int, y: Int, zoom: Int, scale: Int) throws -> SyncTile?

    /// The scales the layer can draw, ascending, within 1…4. `[1]` unless the layer says otherwise.
    var scales: ClosedRange<Int> { get }

    /// For how many seconds a tile is good whose drawing begins now; asked before each tile. Nil, unless the layer says
    /// otherwise: until the server's own time for the layer runs out.
    var lifetime: Int? { get }
}

extension SyncTileLayer {
    public var scales: ClosedRange<Int> { 1...1 }

    public var lifetime: Int? { nil }

    public func tile(x: Int, y: Int, zoom: Int, scale: Int) throws -> SyncTile? {
        scale == 1 ? try tile(x: x, y: y, zoom: zoom) : .noTile
    }
}

/// What a `SyncTileLayer` gives back where it has an answer.
public enum SyncTile: Sendable {
    /// Pixels, which the server encodes as PNG.
    case image(Pixmap)
    /// An image that is encoded already; its bytes are sent untouched.
    case encoded(Tile)
    /// `kGMSTileLayerNoTile`: no tile exists here.
    case noTile
}
