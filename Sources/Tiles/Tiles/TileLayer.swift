import MapGeometry

/// A source of tiles that may take its time: the server side of `GMSTileLayer`.
///
/// A layer implements `tile(at:scale:)`. All other members have defaults. They are for layers that say more of their tiles.
///
/// Thread rule: every member is called from any thread and for several tiles at once; unless a member says otherwise, it must
/// not block. Work that blocks or computes belongs into a `SyncTileLayer`. A result that does not come within the layer's
/// `timeout` counts as `.unavailable(.timeout)`.
public protocol TileLayer: Sendable {
    /// The tile at `coordinate`, drawn for `scale` pixels per point: `tileSize` × `scale` pixels a side. Asked only for the
    /// scales that the layer was added with.
    func tile(at coordinate: TileCoordinate, scale: Int) async -> TileResult

    /// The tile with a lifetime and validators. The server calls this member alone, and the default calls `tile(at:scale:)`.
    /// `validators`: those of an answer that the server holds. If that answer is still good, the layer may say so in place of the
    /// tile: `.notModified` (RFC 9110 13.1). Nil: the server holds none.
    func answer(at coordinate: TileCoordinate, scale: Int, holding validators: Validators?) async -> SourceAnswer

    /// The scales that the layer draws itself, within 1…4; 1 alone unless the layer says otherwise. Read once, when the layer is
    /// added. The server makes the other scales of those.
    var scales: ClosedRange<Int> { get }

    /// Whether a tile of an earlier answer would still be taken if it came now; true unless the layer says otherwise. The
    /// validators of a tile that would not are never sent: a source that says that it is unchanged does not say that it is a
    /// tile.
    func accepts(_ tile: Tile) -> Bool

    /// The source's description, used in place of settings that are missing. Nil unless the layer says otherwise. Called
    /// when the layer is added. May block.
    func describe() -> SourceDescription?

    /// Whether another source has replaced the one that said `description`, so that the layer must be made anew. Unless the
    /// layer says otherwise: whether `describe` says something else now. May block.
    func isOutdated(since description: SourceDescription?) -> Bool

    /// Where there are tiles now, if that changes while the layer is served. Nil, unless the layer says otherwise: everywhere, or
    /// as `describe` says.
    var currentBounds: GeographicBox? { get }

    /// Bytes of memory that the source takes as long as it is served, with or without requests; 0 unless the layer says
    /// otherwise.
    var residentBytes: Int { get }

    /// Reads again the data that the layer is made of, if the data has changed: tiles that are asked for after that show nothing
    /// older. If the data cannot be used, the layer stays as it is. Called before the layer's tiles are cleared. Nil, unless the
    /// layer says otherwise: there is nothing to read.
    var reload: Reload? { get }

    /// Asks for an answer without a task. Nil, unless the layer says otherwise, and while a question would have to wait for
    /// others: then a client that leaves could not give it up. Only layers that the server itself makes are asked so.
    var callback: Callback? { get }

    /// Reads data again.
    typealias Reload = @Sendable () async -> Void
    /// As `answer(at:scale:holding:)`, but calls the function with the answer, exactly once, on any thread: also before this
    /// returns.
    typealias Callback =
        @Sendable (TileCoordinate, _ scale: Int, Validators?, @escaping @Sendable (SourceAnswer) -> Void) -> Void
}

extension TileLayer {
    /// The tile, without a lifetime and validators.
    public func answer(at coordinate: TileCoordinate, scale: Int, holding validators: Validators?) async -> SourceAnswer
    {
        .result(await tile(at: coordinate, scale: scale), SourceTerms())
    }

    /// 1 alone.
    public var scales: ClosedRange<Int> { 1...1 }

    /// Takes every tile.
    public func accepts(_ tile: Tile) -> Bool { true }

    /// Nil: nothing.
    public func describe() -> SourceDescription? { nil }

    /// Whether `describe` says something else now.
    public func isOutdated(since description: SourceDescription?) -> Bool { describe() != description }

    /// Nil: everywhere, or as `describe` says.
    public var currentBounds: GeographicBox? { nil }

    /// 0.
    public var residentBytes: Int { 0 }

    /// Nil: there is nothing to read.
    public var reload: Reload? { nil }

    /// Nil: it is asked in a task.
    public var callback: Callback? { nil }

    /// For a layer that implements `answer(at:scale:holding:)` alone. Not public: a program's layer with neither would not end.
    package func tile(at coordinate: TileCoordinate, scale: Int) async -> TileResult {
        await answer(at: coordinate, scale: scale, holding: nil).result
    }
}

/// A layer's answer: an image, `kGMSTileLayerNoTile`, or nil in the SDK's terms.
public enum TileResult: Sendable {
    /// There is a tile and this is it.
    case tile(Tile)
    /// There is no tile at this coordinate, and there will be none until the layer is cleared. Cached like a tile.
    case noTile
    /// There is no answer now, and there may be one later. Never cached.
    case unavailable(Unavailability)
}
