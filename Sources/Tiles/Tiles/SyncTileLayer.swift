import Raster

/// A layer that draws its tiles in a function that may block. This is the server side of `GMSSyncTileLayer`.
///
/// Thread rule: the server calls the functions and reads `lifetime` on its work queues, on several threads at the same
/// time. They may block and compute. The server reads `scales` on any thread, so `scales` must not block.
public protocol SyncTileLayer: Sendable {
    /// Returns the tile at column `x` and row `y` of `zoom`, drawn with one pixel per point. The tile should have as
    /// many pixels per side as the layer's `tileSize`. A tile of another size is scaled.
    ///
    /// Return `.noTile` if there is no tile. Return nil if the tile is not available now: the server then asks again
    /// for a later request. A thrown error counts as nil, and is logged if the tile is still needed. A thrown
    /// `Unavailability` gives the reason and is not logged.
    func tile(x: Int, y: Int, zoom: Int) throws -> SyncTile?

    /// Returns the tile for screens with `scale` pixels per point. `scale` is one of `scales`. The tile has `scale`
    /// times the width and height in pixels, and its lines and labels are `scale` times as large.
    ///
    /// Without this function, a layer draws only at scale 1. The server then makes the other scales up to 4 from tiles
    /// of the next zoom. If there are none, it enlarges the tile.
    func tile(x: Int, y: Int, zoom: Int, scale: Int) throws -> SyncTile?

    /// Draws a tile that may take long, and can stop early. Call `isWanted` now and then while you draw. If `isWanted`
    /// returns false, the tile is not needed any more, and the function should return nil. Call `isWanted` only on the
    /// calling thread. A layer that never calls `isWanted` always draws the whole tile.
    func tile(x: Int, y: Int, zoom: Int, scale: Int, isWanted: () -> Bool) throws -> SyncTile?

    /// The scales that the layer draws itself, within 1…4. The default is only 1.
    var scales: ClosedRange<Int> { get }

    /// Seconds for which a tile that is drawn now stays fresh. The server reads this before each tile. The default is
    /// nil: the server's setting for the layer applies.
    var lifetime: Int? { get }
}

extension SyncTileLayer {
    /// Only scale 1.
    public var scales: ClosedRange<Int> { 1...1 }

    /// Nil: the server's setting for the layer applies.
    public var lifetime: Int? { nil }

    /// Returns `tile(x:y:zoom:)` at scale 1, and no tile at other scales.
    public func tile(x: Int, y: Int, zoom: Int, scale: Int) throws -> SyncTile? {
        scale == 1 ? try tile(x: x, y: y, zoom: zoom) : .noTile
    }

    /// Returns `tile(x:y:zoom:scale:)` and ignores `isWanted`.
    public func tile(x: Int, y: Int, zoom: Int, scale: Int, isWanted: () -> Bool) throws -> SyncTile? {
        try tile(x: x, y: y, zoom: zoom, scale: scale)
    }

    /// For a layer that only implements `tile(x:y:zoom:scale:)`. Not public: a layer that implements neither function
    /// would recurse without end.
    package func tile(x: Int, y: Int, zoom: Int) throws -> SyncTile? {
        try tile(x: x, y: y, zoom: zoom, scale: 1)
    }
}

/// An answer of a `SyncTileLayer`.
public enum SyncTile: Sendable {
    /// Pixels. The server encodes them as PNG.
    case image(Pixmap)
    /// Pixels that were drawn at a smaller size and enlarged. Each drawn pixel became `growth` × `growth` pixels.
    /// Clients are told by `X-Tile-Upscaled`.
    case coarse(Pixmap, growth: Int)
    /// An encoded image. The server sends the bytes unchanged, unless a client wants another format or size.
    case encoded(Tile)
    /// No tile exists here, like `kGMSTileLayerNoTile`.
    case noTile
}
