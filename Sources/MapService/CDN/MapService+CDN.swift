import TileCache

/// Caches in front.
extension MapService {
    /// Tells caches in front that `extent` of `layers`, which are of `table`, is cleared, and what maps have drawn of it. Returns at
    /// once.
    func purgeCaches(of extent: Extent, _ layers: [ServedLayer], in table: LayerTable) {
        guard caches.isOn else { return }
        let isCleared = { (layer: ServedLayer) in layers.contains { $0 === layer } }
        // Tiles of a scale may be put together of four of the next zoom, in a map twice.
        var parts = layers.map { CDNPurgePlan.Part(id: $0.id, above: 1, below: $0.settings.overzoom) }
        let maps = table.layers.filter { !isCleared($0) && $0.members.contains(where: isCleared) }
        parts += maps.map { map in
            let below = map.members.filter(isCleared).map(\.settings.overzoom).max() ?? 0
            return CDNPurgePlan.Part(id: map.id, above: 2, below: below + map.settings.overzoom)
        }
        // A list of many tiles takes a while.
        Task { [caches, tags, parts] in
            caches.purge(CDNPurgePlan.tags(of: extent.area, parts) { tags.plan(of: $0) })
        }
    }
}
