import MapGeometry
import TileCache
import TileLayers

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
    /// Has all tiles of the layer or map `id` made anew: the SDK's `clearTileCache`, to be called when they are stale. Maps
    /// that draw the layer are cleared with it.
    ///
    /// Takes effect at once however many tiles there are; one that is being made meanwhile is not kept. Clients that ask by
    /// the URLs of the TileJSON learn of it by those.
    @discardableResult
    public func clearTileCache(_ id: String) async throws(TileServerError) -> ClearedTiles {
        let router = router
        let layer = try router.layer(id)
        guard let report = await router.admin.clear(layer) else { throw .unknownLayer(id) }
        return ClearedTiles(
            layer: id, generation: Int(report.cleared.generation), entries: report.entries, bytes: report.bytes)
    }

    /// The tile at column `x`, row `y` of `zoom` as a client gets it, without a socket: from the cache or from the layer, as
    /// PNG with `tileSize` × `scale` pixels a side. For tests of a layer, among others.
    ///
    /// A tile that failed a moment ago is not asked for again at once: that is `.upstreamDown`, with the seconds.
    public func tile(
        _ id: String, x: Int, y: Int, zoom: Int, scale: Int = 1
    ) async throws(TileServerError) -> TileResult {
        let router = router
        let layer = try router.layer(id)
        guard let coordinate = TileCoordinate(z: zoom, x: x, y: y) else {
            throw .invalidCoordinate(x: x, y: y, zoom: zoom)
        }
        guard layer.scales.contains(scale) else { throw .invalidScale(scale, layer: id) }
        let need = TileNeed(
            layer: layer, coordinate: coordinate, scale: scale, form: .png, overzooms: layer.settings.overzoom > 0)
        guard let found = await router.tiles.loader.find(need) else { return .noTile }
        switch found.loaded {
        case .unavailable(let reason, _): return .unavailable(reason)
        case .backingOff(let seconds): return .unavailable(.upstreamDown(retryAfter: seconds))
        case .found(let cached, _), .present(let cached, _), .stale(let cached, _):
            if case .tile(let entry) = cached.content { return .tile(entry.tile) }
            return .noTile
        }
    }
}

extension Router {
    /// The layer or map of this name.
    func layer(_ id: String) throws(TileServerError) -> ServedLayer {
        guard let layer = tiles.layers.layers.first(where: { $0.id == id }) else { throw .unknownLayer(id) }
        return layer
    }
}
