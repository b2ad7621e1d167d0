import Bytes
import HTTPServer
import MapService
import Runtime
import TileCache

/// Converts the results of the tile loader to HTTP responses.
extension TileResponder {
    /// Returns the response for a tile outside the layer's zooms or bounds. The source is not asked.
    func outside(_ tileRequest: TileRequest, isUnchanged: (TileEntry) -> Bool) -> Response {
        let control = Caching.Control.lifetime(maxAge: tileRequest.layer.control.noTileMaxAge)
        return noTile(tileRequest, Caching(control, status: CacheStatus.outside.line), isUnchanged)
    }

    func hit(_ cached: CachedTile, _ now: MonotonicTime, _ tier: Loaded.Tier = .memory) -> CacheStatus {
        .hit(ttl: Int(cached.expires.seconds(since: now)), tier: tier.name)
    }

    /// Makes the response for a cached tile. `standsIn` is true if the tile is a substitute for a tile that is
    /// unavailable now. The real tile may soon be available, so a client may keep a substitute only for a short time.
    func answer(
        _ cached: CachedTile, _ tileRequest: TileRequest, now: MonotonicTime, status: CacheStatus, isStale: Bool,
        standsIn: Bool = false, isUnchanged: (TileEntry) -> Bool
    ) -> Response {
        let age = max(Int(now.seconds(since: cached.born)), 0)
        let fill: Loaded.Fill? = if case .miss(let fill) = status { fill } else { nil }
        let mustNotBeKept = fill?.mustNotBeKept ?? false
        // A new tile has no age, unless its source had cached the tile for a while.
        let said = fill != nil && age == 0 ? nil : age
        var caching = Caching(.noStore, age: said, status: status.line, timing: fill.map { ("fill", $0.microseconds) })
        let times = tileRequest.layer.control
        switch cached.content {
        case .tile(let entry):
            if !mustNotBeKept {
                // If the source gives its tiles a lifetime, the tiles can change without a clear.
                let isLasting =
                    tileRequest.isVersioned && !isStale && !standsIn && cached.life.stated == nil
                    && !cached.life.clients.rules.contains(.mustRevalidate)
                let maxAge = standsIn ? min(Caching.Control.staleMaxAge, times.maxAge) : times.maxAge
                caching.control =
                    isLasting ? .immutable : control(cached, now, age: age, atMost: maxAge, isStale: isStale)
                if !isStale, !standsIn {
                    caching.sharedMaxAge = Caching.sharedMaxAge(cached.life, age: age, atMost: sharedMaxAge)
                }
            }
            let response = TileAnswers.tile(
                entry, caching: caching, tag: ResponseTag(tileRequest.layer, TileOutcome(status, isStale: isStale)),
                isStale: isStale, isNegotiated: tileRequest.address.form == nil, isUnchanged: isUnchanged(entry))
            return tileRequest.address.isWrapped ? located(response, tileRequest) : response
        case .noTile:
            if !mustNotBeKept {
                caching.control = control(
                    cached, now, age: age, atMost: times.noTileMaxAge, isStale: isStale)
            }
            // `Date` and `Age` must match, as they do for a tile (RFC 9111 4.2.3).
            return noTile(tileRequest, caching, date: loader.date() - age, isUnchanged)
        }
    }

    private func control(
        _ cached: CachedTile, _ now: MonotonicTime, age: Int, atMost maxAge: Int, isStale: Bool
    ) -> Caching.Control {
        let left = max(Int(cached.expires.seconds(since: now)), 0)
        return Caching.Control(cached.life, age: age, left: left, atMost: maxAge, isStale: isStale)
    }

    /// Makes the response for a missing tile. `date` is the value of `Date` in seconds since 1970. Nil: the time of the
    /// response.
    private func noTile(
        _ tileRequest: TileRequest, _ caching: Caching, date: Int? = nil, _ isUnchanged: (TileEntry) -> Bool
    ) -> Response {
        untaggedNoTile(tileRequest, caching, date: date, isUnchanged).tagged(tileRequest.layer, .noTile)
    }

    private func untaggedNoTile(
        _ tileRequest: TileRequest, _ caching: Caching, date: Int?, _ isUnchanged: (TileEntry) -> Bool
    ) -> Response {
        let (coordinate, id) = (tileRequest.address.coordinate, tileRequest.layer.id)
        let tags = tags.lines(at: coordinate, of: id, isCutOut: tileRequest.lookup.overzooms)
        guard tileRequest.empty == .transparent else {
            let fields = TileDescription.noTileFields(at: coordinate, layer: id, date: date, tags)
            return TileAnswers.noTile(
                isEmpty: tileRequest.empty == .noContent, fields: fields, caching: caching, isDated: date != nil)
        }
        let tile = tileRequest.layer.blank(scale: tileRequest.address.scale)
        let entry = TileDescription.entry(
            for: tile, hash: ContentHash(of: tile.bytes), date: date, at: coordinate, layer: id)
        let blank = tags.map(entry.adding) ?? entry
        return TileAnswers.blank(blank, caching: caching, isUnchanged: isUnchanged(blank))
    }

    /// Adds the path of the tile to which a wrapped `x` leads (RFC 9110 8.7).
    private func located(_ response: Response, _ tileRequest: TileRequest) -> Response {
        var response = response
        let scale = tileRequest.address.scale == 1 ? "" : "@\(tileRequest.address.scale)x"
        let suffix = tileRequest.address.form?.format.map { ".\($0.suffix)" } ?? ""
        let location = "/\(tileRequest.layer.id)/\(tileRequest.address.coordinate)\(scale)\(suffix)"
        response.fields = SharedBytes(response.fields.array + FieldLines.make([("Content-Location", location)]).array)
        return response
    }
}
