import MapGeometry
import TileCache
import Tiles

/// Returns layers by their ids, and tiles for the program that embeds the server.
extension MapService {
    /// Returns the layer or map `id` that is served now.
    package func layer(_ id: String) throws(TileServerError) -> ServedLayer {
        guard let layer = served.table[id] else { throw .unknownLayer(id) }
        return layer
    }

    /// Returns the tile at column `x`, row `y` of `zoom` from the cache or from the layer. The tile is a PNG with
    /// `tileSize` × `scale` pixels a side, or an unchanged image that the server cannot decode.
    package func tile(
        _ id: String, x: Int, y: Int, zoom: Int, scale: Int
    ) async throws(TileServerError) -> TileResult {
        let layer = try layer(id)
        guard let coordinate = TileCoordinate(z: zoom, x: x, y: y) else {
            throw .invalidCoordinate(x: x, y: y, zoom: zoom)
        }
        guard layer.scales.contains(scale) else { throw .invalidScale(scale, layer: id) }
        let lookup = TileLookup(
            layer: layer, coordinate: coordinate, scale: scale, form: .image(.png),
            overzooms: layer.overzooms)
        guard let found = await loader.find(lookup) else { return .noTile }
        return found.loaded.result
    }

    /// Clears all tiles of the layer or map `id`, and all tiles and images that are made from them.
    package func clear(_ id: String) async throws(TileServerError) -> ClearReport? {
        let table = served.table
        guard let layer = table[id] else { throw .unknownLayer(id) }
        return await clear(of: [layer], in: table).first
    }
}

extension Loaded {
    /// The tile without the facts about its origin.
    var result: TileResult {
        switch self {
        case .unavailable(let reason, _): return .unavailable(reason)
        case .found(let cached, _), .present(let cached, _), .stale(let cached, _):
            if case .tile(let entry) = cached.content { return .tile(entry.tile) }
            return .noTile
        }
    }
}
