import MapGeometry
import MapService
import TileCache
import Tiles

/// What a clear took away.
public struct ClearedTiles: Sendable, Hashable {
    /// The layer or map that was cleared.
    public let layer: String
    /// Its generation from now on: what `v` says in the URLs of its TileJSON.
    public let generation: Int
    /// Tiles, those that were known not to exist included.
    public let entries: Int
    /// Their size in memory and on disk together.
    public let bytes: Int
}

/// Tiles and their cache, for the program itself.
extension TileServer {
    /// Clears all tiles of the layer or map `id`: the SDK's `clearTileCache`, to be called when they are stale. Maps
    /// that draw the layer are cleared with it.
    ///
    /// Takes effect at once however many tiles there are; one that is being made meanwhile is not kept. Clients that ask by
    /// the URLs of the TileJSON learn of it by those.
    @discardableResult
    public func clearTileCache(_ id: String) async throws(TileServerError) -> ClearedTiles {
        guard let report = try await service.clear(id) else { throw .unknownLayer(id) }
        return ClearedTiles(
            layer: id, generation: Int(report.cleared.generation), entries: report.entries, bytes: report.bytes)
    }

    /// Declares `tiles` of the layer or map `id` stale, so that they are asked for again behind the next answer, or with `isSoft` false
    /// removes them: what the expire lists of osm2pgsql and imposm are for. Maps and images that draw them are cleared of
    /// them; the generation stays.
    ///
    /// - Parameters:
    ///   - id: The layer or map.
    ///   - tiles: At most 100,000 tiles, with the tiles that `zooms` adds.
    ///   - zooms: Also expires the tiles above and below `tiles` at these zooms. Of `tiles` with several zooms the finest
    ///     count. Nil: exactly `tiles`.
    ///   - isSoft: True: the tiles become stale. False: the tiles are removed.
    /// - Throws: `.tooManyTiles` above 100,000 of them, and nothing is done.
    @discardableResult
    public func expire(
        _ id: String, _ tiles: some Sequence<TileCoordinate>, zooms: ClosedRange<Int>? = nil, isSoft: Bool = true
    ) async throws(TileServerError) -> ClearedTiles {
        guard let set = TileSet(tiles, zooms: zooms) else { throw .tooManyTiles }
        guard let report = try await service.expire(set, isSoft: isSoft, of: id) else { throw .unknownLayer(id) }
        return ClearedTiles(
            layer: id, generation: Int(report.cleared.generation), entries: report.entries, bytes: report.bytes)
    }

    /// What happens to layers and maps, as it happens: clears and changes of the configuration, those of this program included. It
    /// is what clients hear by `GET /events`; no socket is needed. The sequence ends when the server stops.
    ///
    /// - Parameter id: that of an event, of this process. What has happened since comes first, or `reset` where that is not known
    ///   any more: the latest 1,024 events are kept. Nil: what happens from now on.
    public func events(after id: TileServerEvent.ID? = nil) -> TileServerEvents {
        TileServerEvents(service.events, after: id)
    }

    /// The tile at column `x`, row `y` of `zoom` as a client gets it, without a socket: from the cache or from the layer, as
    /// PNG with `tileSize` × `scale` pixels a side. For tests of a layer, among others.
    ///
    /// A tile that failed a moment ago is not asked for again at once: that is `.backingOff`, with the seconds.
    public func tile(
        _ id: String, x: Int, y: Int, zoom: Int, scale: Int = 1
    ) async throws(TileServerError) -> TileResult {
        try await service.tile(id, x: x, y: y, zoom: zoom, scale: scale)
    }
}
