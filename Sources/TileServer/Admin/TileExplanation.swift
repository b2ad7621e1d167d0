import Bytes
import MapGeometry
import Reactor
import TileCache
import TileLayers

/// Everything that is known of one tile: `GET /admin/explain/{layer}/{z}/{x}/{y}`.
enum TileExplanation {
    static func document(
        _ layer: ServedLayer, _ coordinate: TileCoordinate, scale: Int, _ loader: TileLoader
    ) async -> [String: Any] {
        let key = layer.key(at: coordinate, scale: scale)
        let known = await loader.explanation(of: key, from: layer.source)
        let now = loader.now()
        var document: [String: Any] = [
            "layer": layer.id, "tile": "\(coordinate)", "scale": scale, "generation": Int(key.generation),
            "inside": layer.extent.contains(coordinate), "drawn": layer.scales.contains(scale),
            "offline": layer.source.isOffline, "fetching": known.isUnderWay,
            "memory": known.memory.map { describe($0, now) } ?? JSON.null,
            "disk": known.disk.map { describe($0, now) } ?? JSON.null,
            "freshness": policy(layer.source.freshness),
        ]
        document["retryAfter"] = known.retryAfter
        document["fingerprint"] = layer.source.place?.fingerprint
        if let upstream = layer.layer as? UpstreamTileLayer {
            document["upstream"] = describe(upstream, coordinate, scale: scale)
        }
        return document
    }

    private static func describe(_ cached: CachedTile, _ now: MonotonicTime) -> [String: Any] {
        var document: [String: Any] = [
            "fresh": cached.isFresh(now), "age": Int(now.seconds(since: cached.born)),
            "ttl": Int(cached.expires.seconds(since: now)),
            "staleWhileRevalidate": Int(cached.grace.whileRevalidating), "staleIfError": Int(cached.grace.ifError),
        ]
        switch cached.content {
        case .noTile: document["content"] = "no-tile"
        case .tile(let entry):
            document["content"] = entry.tile.format.mediaType
            document["bytes"] = entry.tile.bytes.count
            document["size"] = [entry.tile.width, entry.tile.height]
            document["etag"] = entry.hash.entityTag
            document["upstreamETag"] = entry.validators?.etag
            document["upstreamLastModified"] = entry.validators?.lastModified
        }
        return document
    }

    private static func describe(
        _ layer: UpstreamTileLayer, _ coordinate: TileCoordinate, scale: Int
    ) -> [String: Any] {
        let status = layer.upstreamStatus
        var document: [String: Any] = [
            "breaker": status.breaker.name, "failures": status.failures, "fetching": status.inside,
            "atMost": status.width, "waiting": status.waiting,
        ]
        document["url"] = layer.displayedURL(at: coordinate, scale: scale)
        document["pause"] = status.pause
        if case .open(let secondsLeft) = status.breaker { document["triedAgainIn"] = secondsLeft }
        return document
    }

    private static func policy(_ policy: FreshnessPolicy) -> [String: Any] {
        var document: [String: Any] = [
            "ttl": policy.timeToLive, "minTTL": policy.shortest, "maxTTL": policy.longest,
            "overrideTTL": policy.overridesSource, "noTileMaxAge": policy.noTileTimeToLive,
        ]
        document["staleWhileRevalidate"] = policy.staleWhileRevalidate
        document["staleIfError"] = policy.staleIfError
        return document
    }
}
