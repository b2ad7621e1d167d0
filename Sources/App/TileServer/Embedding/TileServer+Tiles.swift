import MapGeometry
import MapService
import TileCache
import Tiles

/// The result of a clear.
public struct ClearedTiles: Sendable, Hashable {
    /// The layer or map that was cleared.
    public let layer: String
    /// The generation of the layer after the clear. It is the value of `v` in the URLs of the layer's TileJSON.
    public let generation: Int
    /// Number of tiles that were removed from the cache or made stale. Entries for tiles that do not exist count too.
    /// If several cache tiers have tiles of the layer, the largest number of a tier counts.
    public let entries: Int
    /// Size in bytes of these tiles in all cache tiers together.
    public let bytes: Int

    fileprivate init(_ report: ClearReport) {
        layer = report.layer
        generation = Int(report.cleared.generation)
        (entries, bytes) = (report.entries, report.bytes)
    }
}

/// Gives tiles and events to the program that embeds the server, and clears or expires tiles for it.
extension TileServer {
    /// Clears all tiles of the layer or map `id`: the SDK's `clearTileCache`. Call this function when the tiles are out
    /// of date. The function also clears the maps that draw the layer.
    ///
    /// A layer first reads its file again if the file has changed. The clear then takes effect at once, with any number
    /// of tiles. The cache does not keep a tile that is being made during the clear. The TileJSON then has new URLs.
    @discardableResult
    public func clear(_ id: String) async throws(TileServerError) -> ClearedTiles {
        guard let report = try await service.clear(id) else { throw .unknownLayer(id) }
        return ClearedTiles(report)
    }

    /// Removes the tiles of the layer or map `id` that touch `box`, at `zooms` (nil: at all zooms). Also removes the
    /// tiles that maps draw from them, and the images of these layers and maps. The generation of the layer stays.
    /// Throws `.unknownLayer` if there is no such layer.
    @discardableResult
    public func clear(
        _ id: String, in box: GeographicBox, zooms: ClosedRange<Int>? = nil
    ) async throws(TileServerError) -> ClearedTiles {
        try await clear(.tiles(in: box, zooms: zooms, isSoft: false), of: id)
    }

    /// Removes `tiles` of the layer or map `id`, like `expire(_:_:zooms:)`, which makes tiles stale instead.
    @discardableResult
    public func clear(
        _ id: String, _ tiles: some Sequence<TileCoordinate>, zooms: ClosedRange<Int>? = nil
    ) async throws(TileServerError) -> ClearedTiles {
        try await clear(.set(try Self.set(tiles, zooms), isSoft: false), of: id)
    }

    /// Makes `tiles` of the layer or map `id` stale: the next request for a tile still gets the old tile, while the
    /// server revalidates it. The function serves the expire lists of osm2pgsql and imposm. Removes the tiles that maps
    /// draw from `tiles`, and all images of the layer and of the maps that draw the layer. The generation of the layer
    /// stays.
    ///
    /// - Parameters:
    ///   - id: The layer or map.
    ///   - tiles: At most 100,000 different tiles. The tiles that `zooms` adds do not count.
    ///   - zooms: Expires the tiles at these zooms that contain one of `tiles` or lie inside one. A tile of `tiles`
    ///     that contains another of them is ignored. Nil: exactly `tiles`.
    /// - Throws: `.tooManyTiles` if `tiles` has more than 100,000 different tiles, and `.unknownLayer` if there is no
    ///   such layer. Nothing is expired then.
    @discardableResult
    public func expire(
        _ id: String, _ tiles: some Sequence<TileCoordinate>, zooms: ClosedRange<Int>? = nil
    ) async throws(TileServerError) -> ClearedTiles {
        try await clear(.set(try Self.set(tiles, zooms), isSoft: true), of: id)
    }

    /// Makes the tiles of the layer or map `id` that touch `box` stale, at `zooms` (nil: at all zooms).
    @discardableResult
    public func expire(
        _ id: String, in box: GeographicBox, zooms: ClosedRange<Int>? = nil
    ) async throws(TileServerError) -> ClearedTiles {
        try await clear(.tiles(in: box, zooms: zooms, isSoft: true), of: id)
    }

    private static func set(
        _ tiles: some Sequence<TileCoordinate>, _ zooms: ClosedRange<Int>?
    ) throws(TileServerError) -> TileSet {
        guard let set = TileSet(tiles, zooms: zooms) else { throw .tooManyTiles }
        return set
    }

    private func clear(_ extent: MapService.Extent, of id: String) async throws(TileServerError) -> ClearedTiles {
        guard let report = try await service.clear(extent, of: id) else { throw .unknownLayer(id) }
        return ClearedTiles(report)
    }

    /// Returns the events of layers and maps: clears and changes of the configuration, also by this program. Clients
    /// get the same events by `GET /events`, but this function needs no socket. The sequence ends when the server
    /// stops.
    ///
    /// - Parameter id: the id of an event of this process. The sequence starts with the events after that event, or
    ///   with `reset` if the server has dropped some of them or does not know the id. The server keeps the latest 1,024
    ///   events. Nil: only future events.
    public func events(after id: TileServerEvent.ID? = nil) -> TileServerEvents {
        TileServerEvents(service.events, after: id)
    }

    /// Returns the tile at column `x`, row `y` of `zoom` as a client gets it, without a socket. The tile comes from the
    /// cache or from the layer, as PNG with `tileSize` × `scale` pixels a side, at most 2,048. An image that the server
    /// cannot decode is returned unchanged. Tests of a layer can use this function.
    ///
    /// The server does not retry a tile immediately after a failure. Then the result is `.backingOff` with the
    /// remaining seconds.
    public func tile(
        _ id: String, x: Int, y: Int, zoom: Int, scale: Int = 1
    ) async throws(TileServerError) -> TileResult {
        try await service.tile(id, x: x, y: y, zoom: zoom, scale: scale)
    }
}
