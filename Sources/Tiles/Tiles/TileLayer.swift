import MapGeometry

/// A source of tiles that answers asynchronously. This is the server side of `GMSTileLayer`. A layer must implement
/// `tile(at:scale:)`. All other members have defaults, and give the server more information if you implement them.
///
/// If a result does not arrive within the layer's `timeout`, it counts as `.unavailable(.timeout)`.
///
/// Thread rule: the server calls every member on any thread, and for several tiles at the same time. A member must not
/// block unless its comment allows it. Use a `SyncTileLayer` for work that blocks or computes.
public protocol TileLayer: Sendable {
    /// Returns the tile at `coordinate` for screens with `scale` pixels per point. The tile has `tileSize` × `scale`
    /// pixels per side. The server asks only for the scales with which the layer was added.
    func tile(at coordinate: TileCoordinate, scale: Int) async -> TileResult

    /// Returns the tile, how long it may be kept, and its validators. The server calls this function and not
    /// `tile(at:scale:)`. The default implementation calls `tile(at:scale:)`.
    ///
    /// If the server already has an answer with validators, they are in `validators`. Otherwise it is nil. If that
    /// answer is still valid, the layer may return `.notModified` instead of the tile (RFC 9110 13.1).
    func answer(at coordinate: TileCoordinate, scale: Int, holding validators: Validators?) async -> SourceAnswer

    /// The scales that the layer draws itself, within 1…4. The default is only 1. The server reads this once, when the
    /// layer is added, and makes the other scales from these.
    var scales: ClosedRange<Int> { get }

    /// Reports whether the layer would still accept this tile of an earlier answer. The default is true. The server
    /// asks before it renews a stale tile, and before it serves a stale tile from another tier than memory. If the
    /// layer is offline, its answer has no effect. The server does not send the validators of a refused tile, because
    /// the source could answer that this tile is unchanged.
    func accepts(_ tile: Tile) -> Bool

    /// Returns facts that the source states about its tiles. The server uses them in place of missing settings. The
    /// default is nil. The server calls this function when the layer is added. May block.
    func describe() -> SourceDescription?

    /// Reports whether the source has changed since it returned `description`. If so, the layer must be made again. The
    /// default implementation compares `description` with a new result of `describe`. May block.
    func isOutdated(since description: SourceDescription?) -> Bool

    /// The area that has tiles now, if it can change while the layer is served. The default is nil: the area of
    /// `describe`, or everywhere.
    var currentBounds: GeographicBox? { get }

    /// Bytes of memory that the source uses while it is served, even without requests. The default is 0.
    var residentBytes: Int { get }

    /// Reads the layer's data again if the data has changed. Later tiles then show only the new data. If the new data
    /// cannot be used, the layer keeps the old data. The server calls this before it clears the whole layer for
    /// a request. The default is nil: there is nothing to read.
    var reload: Reload? { get }

    /// Asks for an answer without a task. Nil by default, and also while a request would have to wait for others,
    /// because a client that leaves could not cancel the wait. The server uses this only for its own layers.
    var callback: Callback? { get }

    /// A function that reads data again.
    typealias Reload = @Sendable () async -> Void
    /// A function like `answer(at:scale:holding:)` that passes the answer to a callback. The callback runs exactly
    /// once, on any thread, possibly before the function returns.
    typealias Callback =
        @Sendable (TileCoordinate, _ scale: Int, Validators?, @escaping @Sendable (SourceAnswer) -> Void) -> Void
}

extension TileLayer {
    /// Returns the tile without a lifetime and validators.
    public func answer(at coordinate: TileCoordinate, scale: Int, holding validators: Validators?) async -> SourceAnswer
    {
        .result(await tile(at: coordinate, scale: scale), SourceTerms())
    }

    /// Only scale 1.
    public var scales: ClosedRange<Int> { 1...1 }

    /// Returns true: every tile is accepted.
    public func accepts(_ tile: Tile) -> Bool { true }

    /// Returns nil: the source states no facts.
    public func describe() -> SourceDescription? { nil }

    /// Reports whether `describe` returns a different description now.
    public func isOutdated(since description: SourceDescription?) -> Bool { describe() != description }

    /// Nil: the area of `describe`, or everywhere.
    public var currentBounds: GeographicBox? { nil }

    /// 0 bytes.
    public var residentBytes: Int { 0 }

    /// Nil: there is nothing to read.
    public var reload: Reload? { nil }

    /// Nil: the server asks the layer in a task.
    public var callback: Callback? { nil }

    /// For a layer that only implements `answer(at:scale:holding:)`. Not public: a layer that implements neither
    /// function would recurse without end.
    package func tile(at coordinate: TileCoordinate, scale: Int) async -> TileResult {
        await answer(at: coordinate, scale: scale, holding: nil).result
    }
}

/// A layer's answer: an image, `kGMSTileLayerNoTile`, or nil in the terms of the SDK.
public enum TileResult: Sendable {
    /// The tile.
    case tile(Tile)
    /// There is no tile at this coordinate. Cached like a tile, until its lifetime is over or the layer is cleared.
    case noTile
    /// There is no answer now, but there may be one later. Never cached.
    case unavailable(Unavailability)
}
