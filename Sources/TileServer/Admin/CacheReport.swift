import TileCache

/// What the tiers hold and how they are used, in all and layer by layer: `GET /admin/cache`.
struct CacheReport {
    let layers: [ServedLayer]
    let loader: TileLoader
    /// Nil where there is no disk tier.
    let disk: DiskStore?

    var document: [String: Any] {
        var traffic = MemoryStore.Traffic()
        let statistics = disk?.statistics()
        let rows = layers.map { layer -> [String: Any] in
            let report = loader.memoryReport(on: layer.source)
            traffic = traffic + report.traffic
            var row: [String: Any] = [
                "layer": layer.id, "generation": Int(layer.source.generation.current),
                "memory": Self.memory(report.usage, report.traffic),
            ]
            if layer.source.place != nil, let statistics {
                row["disk"] = Self.disk(statistics[layer.id] ?? StoreStatistics())
            }
            return row
        }
        var document: [String: Any] = ["memory": Self.memory(loader.memoryUsage, traffic), "layers": rows]
        if let totals = disk?.totals() {
            document["disk"] = Self.disk(totals.all).merging(
                ["fileBytes": totals.fileBytes, "pendingBytes": totals.pendingBytes, "writing": totals.isWriting]
            ) { own, _ in own }
        }
        return document
    }

    private static func memory(_ usage: MemoryStore.Usage, _ traffic: MemoryStore.Traffic) -> [String: Any] {
        [
            "entries": usage.entries, "bytes": usage.bytes, "hits": traffic.hits, "stale": traffic.stale,
            "misses": traffic.misses, "evictions": traffic.evictions,
        ]
    }

    private static func disk(_ statistics: StoreStatistics) -> [String: Any] {
        [
            "entries": statistics.usage.entries, "bytes": statistics.usage.bytes, "hits": statistics.hits,
            "misses": statistics.misses, "evictions": statistics.evictions, "skipped": statistics.skipped,
        ]
    }
}
