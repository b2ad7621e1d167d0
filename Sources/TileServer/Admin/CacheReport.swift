import TileCache

/// What the tiers hold, layer by layer: `GET /admin/cache`.
enum CacheReport {
    static func document(_ layers: [ServedLayer], _ loader: TileLoader) -> [String: Any] {
        var total = MemoryStore.Traffic()
        let rows = layers.map { layer -> [String: Any] in
            let (usage, traffic) = loader.memoryReport(on: layer.source)
            total = total + traffic
            return [
                "layer": layer.id, "generation": Int(layer.source.generation.current),
                "memory": memory(usage, traffic),
            ]
        }
        return ["memory": memory(loader.memoryUsage, total), "layers": rows]
    }

    private static func memory(_ usage: MemoryStore.Usage, _ traffic: MemoryStore.Traffic) -> [String: Int] {
        [
            "entries": usage.entries, "bytes": usage.bytes, "hits": traffic.hits, "stale": traffic.stale,
            "misses": traffic.misses, "evictions": traffic.evictions,
        ]
    }
}
