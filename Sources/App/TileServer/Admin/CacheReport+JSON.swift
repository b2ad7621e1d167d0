import CDN
import Fleet
import MapService
import TileCache

extension CacheReport {
    /// The response of `GET /admin/cache`.
    var document: [String: Any] {
        var document: [String: Any] = ["memory": memory.document, "layers": layers.map(\.document)]
        if let disk {
            document["disk"] = disk.all.document.merging(
                ["fileBytes": disk.fileBytes, "pendingBytes": disk.pendingBytes, "writing": disk.isWriting]
            ) { own, _ in own }
        }
        document["cdn"] = caches?.document
        document["fleet"] = fleet?.document
        return document
    }
}

extension CDNPurger.Report {
    fileprivate var document: [String: Any] {
        var document: [String: Any] = ["succeeded": succeeded, "failed": failed, "waiting": waiting, "again": again]
        if let last {
            var latest: [String: Any] = ["tags": last.tags, "time": last.time]
            switch last.outcome {
            case .status(let status): latest["status"] = status
            case .failure(let why): latest["error"] = why
            }
            document["last"] = latest
        }
        return document
    }
}

extension FleetMetrics {
    fileprivate var document: [String: Any] {
        func counts<Result: RawRepresentable<String>>(_ counts: [Result: Int]) -> [String: Int] {
            Dictionary(counts.map { ($0.key.rawValue, $0.value) }) { first, _ in first }
        }
        return [
            "node": name, "redisUp": isRedisUp, "lag": (lag * 1_000).rounded() / 1_000, "lease": isInLease,
            "unreachedClears": unreachedClears, "unnumberedLayers": unnumberedLayers, "tiles": counts(tiles),
            "locks": counts(locks),
            "nodes": nodes.map { node in
                var document: [String: Any] = ["name": node.name, "age": (node.age * 1_000).rounded() / 1_000]
                document["version"] = node.version
                document["differs"] = node.difference
                return document
            },
        ]
    }
}

extension CacheReport.Layer {
    fileprivate var document: [String: Any] {
        var document: [String: Any] = ["layer": id, "generation": Int(generation), "memory": memory.document]
        document["disk"] = disk?.document
        return document
    }
}

extension CacheReport.Memory {
    fileprivate var document: [String: Any] {
        [
            "entries": usage.entries, "bytes": usage.bytes, "hits": traffic.hits, "stale": traffic.stale,
            "misses": traffic.misses, "evictions": traffic.evictions,
        ]
    }
}

extension StoreStatistics {
    fileprivate var document: [String: Any] {
        [
            "entries": usage.entries, "bytes": usage.bytes, "hits": hits, "misses": misses, "evictions": evictions,
            "skipped": skipped,
        ]
    }
}
