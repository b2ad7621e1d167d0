import Bytes
import CDN
import Configuration
import EventLog
import HTTPServer
import Logging
import MapGeometry
import MapService
import Raster
import Runtime
import Synchronization
import TileCache

/// Answers requests for tiles. A tile in memory that may be served is sent at once. Other tiles come from the loader,
/// which asks the other cache tiers and the sources. Thread rule: any thread; `reply` is called on the queues of the
/// reactors.
struct TileResponder: Sendable {
    let layers: LayerTable
    let loader: TileLoader
    let limits: ClientLimits
    let log: EventLog
    /// Makes the tags under which a cache in front of the server stores tiles.
    let tags: CDNTagger
    /// Seconds for which a cache in front of the server may keep a fresh tile. 0: as long as all other caches.
    let sharedMaxAge: Int

    /// The data of a request that its response needs. The data stay valid after the request has ended.
    struct TileRequest: Sendable {
        let layer: ServedLayer
        let address: TileAddress
        let lookup: TileLookup
        let empty: LayerSettings.NoTile
        /// True if the URL names the current generation of the layer. A clear of the layer changes the generation.
        let isVersioned: Bool

        /// Reports whether memory can be enough to make the tile, or the source sends such tiles.
        var isPossible: Bool {
            guard case .image(let form, _) = lookup.form, !layer.makes(form, scale: address.scale) else { return true }
            return layer.sends(form, scale: address.scale)
        }
    }

    /// Returns the tile that `path` names without percent-encoding. Nil for all other paths. Allocates nothing.
    @inline(__always)
    func plainTile(_ path: UnsafeRawBufferPointer) -> (layer: ServedLayer, address: TileAddress)? {
        guard let path = TilePath(path), let index = layers.index(of: path.layer) else { return nil }
        let layer = layers.layers[index]
        do throws(TileAddress.ParsingError) {
            return (layer, try TileAddress(path, wraps: layer.settings.wrapX))
        } catch {
            return nil
        }
    }

    /// Returns the reply to a request for the tile at `path`, whose segments are decoded. `scale` is the number of
    /// pixels per point. Nil: the suffix of the path decides, and no suffix means 1.
    func reply(to request: Request, path: TilePath, scale: Int? = nil) -> Reply {
        guard let index = layers.index(of: path.layer) else {
            log.record("unknown_layer", level: .info, request.logFields)
            return .ready(TileAnswers.unknownLayer)
        }
        let layer = layers.layers[index]
        do throws(TileAddress.ParsingError) {
            var address = try TileAddress(path, wraps: layer.settings.wrapX)
            if let scale {
                guard address.scale == 1 else { throw .scale }
                address.scale = scale
            }
            return reply(to: request, layer: layer, address: address)
        } catch {
            return .ready(refusal(of: request, error).tagged(layer))
        }
    }

    private func refusal(of request: Request, _ fault: TileAddress.ParsingError) -> Response {
        switch fault {
        case .coordinate:
            log.record("bad_coord", level: .info, request.logFields)
            return TileAnswers.badCoordinates
        case .suffix: return TileAnswers.unsupportedFormat
        case .scale: return TileAnswers.unsupportedScale
        }
    }

    /// Returns the reply to a request for the tile of `layer` at `address`. Also reads the query of the request.
    func reply(to request: Request, layer: ServedLayer, address: TileAddress) -> Reply {
        let query = TileQuery(request.query)
        guard !query.hasUnknownEmpty else { return .ready(TileAnswers.badEmpty.tagged(layer)) }
        guard layer.scales.contains(address.scale) else { return .ready(TileAnswers.unsupportedScale.tagged(layer)) }
        let lookup = TileLookup(
            layer: layer, coordinate: address.coordinate, scale: address.scale,
            form: .image(
                address.form ?? layer.format.form(accepted: AcceptedImages(request)), isNamed: address.form != nil),
            overzooms: query.overzooms || layer.overzooms)
        let tileRequest = TileRequest(
            layer: layer, address: address, lookup: lookup, empty: query.empty ?? layer.settings.noTile,
            isVersioned: query.generation == Int(layer.source.generation.current))
        let conditions = Conditions(request.fields)
        guard let first = lookup.first else {
            return .ready(outside(tileRequest) { conditions.isUnchanged($0) })
        }
        var variant = first
        if let response = cached(tileRequest, &variant, now: request.time, isUnchanged: { conditions.isUnchanged($0) })
        {
            return .ready(response)
        }
        return missed(tileRequest, variant, kept: conditions.kept, request)
    }

    /// Not inlined, so that a cache hit does not pay for this code.
    @inline(never)
    private func missed(
        _ tileRequest: TileRequest, _ missing: TileKey.Variant, kept: Conditions.Kept?, _ request: Request
    ) -> Reply {
        guard tileRequest.isPossible else { return .ready(TileAnswers.unsupportedScale.tagged(tileRequest.layer)) }
        if let account = limits.account(for: .misses, of: request) {
            return reply(to: tileRequest, missing: missing, kept, within: account, request)
        }
        return reply(to: tileRequest, missing: missing, kept, request.time)
    }

    /// Makes the reply for a tile whose variant `missing` is not fresh in memory. `began` is the arrival time of the
    /// request. The caller has already taken one miss from `account`. Nil: there is no limit.
    func reply(
        to tileRequest: TileRequest, missing: TileKey.Variant, _ kept: Conditions.Kept?, _ began: MonotonicTime,
        _ account: ClientAccount? = nil
    ) -> Reply {
        let answer = { @Sendable (found: FoundTile) in
            // If the client has disconnected, the started work still counts as a miss.
            if let account, !found.loaded.isMiss, !Task.isCancelled { account.giveBack(1) }
            return response(to: tileRequest, found, kept, began)
        }
        guard let callback = loader.callback(of: tileRequest.layer.source(of: missing)) else {
            return .pending { answer(await loader.find(tileRequest.lookup, missing: missing)) }
        }
        return .callback { receive in
            loader.find(tileRequest.lookup, missing: missing, by: callback) { search in
                switch search {
                case .found(let found): receive(.ready(answer(found)))
                case .goesOn(let search): receive(.pending { answer(await search()) })
                }
            }
        }
    }

    /// Returns the response if the tile is in memory and is not too old. Otherwise returns nil, and sets `variant` to
    /// the variant of the tile that must be fetched.
    @inline(__always)
    private func cached(
        _ tileRequest: TileRequest, _ variant: inout TileKey.Variant, now: MonotonicTime,
        isUnchanged: (TileEntry) -> Bool
    ) -> Response? {
        while true {
            let key = tileRequest.layer.key(
                at: tileRequest.address.coordinate, scale: tileRequest.address.scale, variant: variant)
            guard let cached = loader.cached(key, now: now) else { return nil }
            let isFresh = cached.isFresh(now)
            let source = tileRequest.layer.source(of: variant)
            guard isFresh || mayServeStale(cached, key, source, now: now) else { return nil }
            guard let next = tileRequest.lookup.next(after: variant, cached.content) else {
                let status = isFresh || !source.isOffline ? hit(cached, now) : .stale(why: .offline)
                return answer(
                    cached, tileRequest, now: now, status: status, isStale: !isFresh, isUnchanged: isUnchanged)
            }
            variant = next
        }
    }

    /// Reports whether the stale tile may be served. If so, lets the loader revalidate it in the background, unless the
    /// layer is offline.
    private func mayServeStale(
        _ cached: CachedTile, _ key: TileKey, _ source: CachedLayer, now: MonotonicTime
    ) -> Bool {
        guard source.isOffline || cached.isServableWhileRevalidating(now) else { return false }
        loader.refresh(key, from: source)
        return true
    }

    /// Makes the response for a tile that the loader has searched. `began` is the arrival time of the request.
    func response(
        to tileRequest: TileRequest, _ found: FoundTile, _ conditions: Conditions.Kept?, _ began: MonotonicTime
    ) -> Response {
        let now = loader.now()
        if !found.loaded.isUnasked {
            let times = tileRequest.layer.source.ownNumber.times
            times.note(.total, nanoseconds: now.nanoseconds - began.nanoseconds)
        }
        let isUnchanged: (TileEntry) -> Bool = { conditions?.isUnchanged($0) ?? false }
        switch found.loaded {
        case .found(let cached, let fill):
            return answer(
                cached, tileRequest, now: now, status: .miss(fill), isStale: false, standsIn: found.standsIn,
                isUnchanged: isUnchanged)
        case .present(let cached, let tier):
            return answer(
                cached, tileRequest, now: now, status: hit(cached, now, tier), isStale: false, standsIn: found.standsIn,
                isUnchanged: isUnchanged)
        case .stale(let cached, .revalidating(let tier)):
            return answer(
                cached, tileRequest, now: now, status: hit(cached, now, tier), isStale: true, isUnchanged: isUnchanged)
        case .stale(let cached, .failed):
            return answer(
                cached, tileRequest, now: now, status: .stale(why: .error), isStale: true, isUnchanged: isUnchanged)
        case .stale(let cached, .backingOff):
            return answer(
                cached, tileRequest, now: now, status: .stale(why: .backOff), isStale: true, isUnchanged: isUnchanged)
        case .stale(let cached, .offline):
            return answer(
                cached, tileRequest, now: now, status: .stale(why: .offline), isStale: true, isUnchanged: isUnchanged)
        case .unavailable(let reason, let retryAfter):
            return TileAnswers.unavailable(reason, retryAfter: retryAfter)
                .tagged(tileRequest.layer, TileOutcome(reason))
        }
    }
}
