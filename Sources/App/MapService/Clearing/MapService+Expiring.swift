import MapGeometry
import TileCache

/// Expires tiles that lists name.
extension MapService {
    /// Declares the tiles of `set` of `layer`, which is of `table`, stale, or removes them unless `isSoft`; then as `clear` does. An
    /// empty one changes nothing, and nobody hears of it.
    package func expire(
        _ set: TileSet, isSoft: Bool, of layer: ServedLayer, in table: LayerTable
    ) async -> ClearReport? {
        guard !set.isEmpty else {
            let generation = layer.source.generation.current
            return ClearReport(layer: layer.id, cleared: TileLoader.Cleared(generation: generation))
        }
        return await clear(.set(set, isSoft: isSoft), of: [layer], in: table).first
    }

    /// The same by the layer's id.
    package func expire(_ set: TileSet, isSoft: Bool, of id: String) async throws(TileServerError) -> ClearReport? {
        let table = served.table
        guard let layer = table[id] else { throw .unknownLayer(id) }
        return await expire(set, isSoft: isSoft, of: layer, in: table)
    }
}
