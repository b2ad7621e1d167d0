import Foundation
import MapGeometry
import MapService
import Runtime
import TileCache
import TileSources
import Tiles

/// Explains the state of one tile in the cache and at its source, for `GET /admin/explain/{layer}/{z}/{x}/{y}`.
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
            "memory": known.memory.map { describe($0, now) } ?? JSONBody.null,
            "disk": JSONBody.null,
            "freshness": policy(layer),
        ]
        for tier in known.tiers { document["\(tier.name)"] = tier.tile.map { describe($0, now) } ?? JSONBody.null }
        document["retryAfter"] = known.retryAfter
        document["lastAnswer"] = lastAnswer(known, now, date: loader.date())
        document["fingerprint"] = layer.source.namespace?.fingerprint
        if let upstream = layer.layer as? UpstreamTileLayer {
            document["upstream"] = describe(upstream, coordinate, scale: scale)
        }
        return document
    }

    private static func describe(_ cached: CachedTile, _ now: MonotonicTime) -> [String: Any] {
        var document: [String: Any] = [
            "fresh": cached.isFresh(now), "age": Int(now.seconds(since: cached.born)),
            "ttl": Int(cached.expires.seconds(since: now)),
            "staleWhileRevalidate": Int(cached.life.staleWhileRevalidate),
            "staleIfError": Int(cached.life.staleIfError),
        ]
        // The source's limit for clients. The layer's own `maxAge` applies too, also if the source sets no limit.
        document["clientMaxAge"] = cached.life.clients.lifetime.map { Int($0) }
        if cached.life.clients.rules.contains(.mustRevalidate) { document["mustRevalidate"] = true }
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

    /// Describes the last answer of the source, or returns nil if none is known. `date` is the time `now` in seconds
    /// since 1970.
    private static func lastAnswer(
        _ known: TileLoader.Explanation, _ now: MonotonicTime, date: Int
    ) -> [String: Any]? {
        if let failure = known.lastFailure {
            var document: [String: Any] = [
                "result": "unavailable", "error": failure.reason.name, "at": text(failure.date),
                "failures": failure.count,
            ]
            if case .upstreamStatus(let status, _) = failure.reason { document["status"] = status }
            document["why"] = failure.message
            return document
        }
        guard let held = known.memory ?? known.tiers.lazy.compactMap(\.tile).first else { return nil }
        switch held.content {
        case .tile(let entry):
            return ["result": "tile", "at": text(entry.date ?? date - Int(now.seconds(since: held.born)))]
        case .noTile: return ["result": "no-tile", "at": text(date - Int(now.seconds(since: held.born)))]
        }
    }

    /// Formats a time as in RFC 3339.
    private static func text(_ seconds: Int) -> String {
        Date(timeIntervalSince1970: Double(seconds)).ISO8601Format()
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

    private static func policy(_ layer: ServedLayer) -> [String: Any] {
        let policy = layer.source.freshness
        // A map has no lifetimes of its own: its tiles live as long as the tiles from which they are made. The map's
        // `noTileMaxAge` only limits clients.
        guard !policy.isInherited else { return ["inherited": true, "noTileMaxAge": layer.control.noTileMaxAge] }
        var document: [String: Any] = [
            "ttl": policy.timeToLive, "minTTL": policy.shortest, "maxTTL": policy.longest,
            "overrideTTL": policy.overridesSource, "noTileMaxAge": policy.noTileTimeToLive,
        ]
        document["staleWhileRevalidate"] = time(policy.staleWhileRevalidate, policy.defaultStaleWhileRevalidate)
        document["staleIfError"] = time(policy.staleIfError, policy.defaultStaleIfError)
        return document
    }

    /// Returns the value from the configuration. If the configuration has none, returns nil if a default applies when
    /// the source states no time. Returns "source" if only the source's time applies.
    private static func time(_ written: Int?, _ unset: Int) -> Any? {
        if let written { return written }
        return unset == 0 ? "source" : nil
    }
}

extension Unavailability {
    /// The reason as one word, for `explain`.
    fileprivate var name: String {
        switch self {
        case .timeout: "timeout"
        case .unreachable: "unreachable"
        case .upstreamStatus: "status"
        case .notAnImage: "not-an-image"
        case .placeholder: "placeholder"
        case .upstreamDown: "down"
        case .backingOff: "backing-off"
        case .offline: "offline"
        case .corrupt: "corrupt"
        case .tooComplex: "too-complex"
        case .overloaded: "overloaded"
        case .failed: "failed"
        }
    }
}
