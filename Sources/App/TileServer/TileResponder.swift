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

/// Answers requests for tiles: from memory at once, otherwise by the loader.
///
/// Thread rule: any thread; `reply` is called on the reactors' queues.
struct TileResponder: Sendable {
    let layers: LayerTable
    let loader: TileLoader
    let limits: ClientLimits
    let log: EventLog
    /// What tiles are called to caches in front.
    let tags: CDNTagger
    /// Seconds that these may keep a fresh tile for; 0: as long as all others.
    let sharedMaxAge: Int

    /// What of a request is needed to answer it, whenever that may be.
    struct TileRequest: Sendable {
        let layer: ServedLayer
        let address: TileAddress
        let lookup: TileLookup
        let empty: LayerSettings.NoTile
        /// The URL names the layer's current generation, so what is behind it is another one's after a clear of the layer.
        let isVersioned: Bool

        /// Whether memory can suffice to make the tile, or the source sends such tiles.
        var isPossible: Bool {
            guard case .image(let form, _) = lookup.form, !layer.makes(form, scale: address.scale) else { return true }
            return layer.sends(form, scale: address.scale)
        }
    }

    /// The tile that `path` names without any percent-encoding; nil where it names none so. Allocates nothing.
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

    /// The answer to a request for the tile at `path`, whose parts are decoded. `scale`: its pixels per point where another part
    /// of the path says them.
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

    /// The answer to a request for the tile at `address`.
    func reply(to request: Request, layer: ServedLayer, address: TileAddress) -> Reply {
        let query = TileQuery(request.query)
        guard !query.hasUnknownEmpty else { return .ready(TileAnswers.badEmpty.tagged(layer)) }
        guard layer.scales.contains(address.scale) else { return .ready(TileAnswers.unsupportedScale.tagged(layer)) }
        let lookup = TileLookup(
            layer: layer, coordinate: address.coordinate, scale: address.scale,
            form: .image(
                address.form ?? layer.format.form(accepted: AcceptedImages(request)), isNamed: address.form != nil),
            overzooms: query.overzooms || layer.settings.overzoom > 0)
        let tileRequest = TileRequest(
            layer: layer, address: address, lookup: lookup, empty: query.empty ?? layer.settings.noTile,
            isVersioned: query.generation == Int(layer.source.generation.current))
        let conditions = Conditions(request.fields)
        guard let first = lookup.first else {
            return .ready(outside(tileRequest) { conditions.isUnchanged($0) })
        }
        var variant = first
        if let response = cached(tileRequest, &variant, request.time, { conditions.isUnchanged($0) }) {
            return .ready(response)
        }
        return missed(tileRequest, variant, conditions.kept, request)
    }

    /// Not inlined: a hit would pay for what it does not need.
    @inline(never)
    private func missed(
        _ tileRequest: TileRequest, _ missing: TileKey.Variant, _ kept: Conditions.Kept?, _ request: Request
    ) -> Reply {
        guard tileRequest.isPossible else { return .ready(TileAnswers.unsupportedScale.tagged(tileRequest.layer)) }
        if let account = limits.account(for: .misses, of: request) {
            return reply(to: tileRequest, missing: missing, kept, within: account, request)
        }
        return reply(to: tileRequest, missing: missing, kept, request.time)
    }

    /// The way to a tile that memory does not have as `missing`. `began`: when the request came. `account` has what was taken for a
    /// miss.
    func reply(
        to tileRequest: TileRequest, missing: TileKey.Variant, _ kept: Conditions.Kept?, _ began: MonotonicTime,
        _ account: ClientAccount? = nil
    ) -> Reply {
        let answer = { @Sendable (found: FoundTile) in
            // Work that was begun for a client which has left is a miss all the same.
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

    /// The answer, where memory has it; else `variant` becomes the one that is missing.
    @inline(__always)
    private func cached(
        _ tileRequest: TileRequest, _ variant: inout TileKey.Variant, _ now: MonotonicTime,
        _ isUnchanged: (TileEntry) -> Bool
    ) -> Response? {
        while true {
            let key = tileRequest.layer.key(
                at: tileRequest.address.coordinate, scale: tileRequest.address.scale, variant: variant)
            guard let cached = loader.cached(key, now: now) else { return nil }
            let isFresh = cached.isFresh(now)
            let source = tileRequest.layer.source(of: variant)
            guard isFresh || mayServeStale(cached, key, source, now) else { return nil }
            guard let next = tileRequest.lookup.next(after: variant, cached.content) else {
                let status = isFresh || !source.isOffline ? hit(cached, now) : .stale(why: .offline)
                return answer(cached, tileRequest, now, status, isStale: !isFresh, isUnchanged)
            }
            variant = next
        }
    }

    /// Whether the stale tile will do, and if so has it renewed behind the answer.
    private func mayServeStale(
        _ cached: CachedTile, _ key: TileKey, _ source: CachedLayer, _ now: MonotonicTime
    ) -> Bool {
        guard source.isOffline || cached.isServableWhileRevalidating(now) else { return false }
        loader.refresh(key, from: source)
        return true
    }

    /// `began`: when the request came.
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
                cached, tileRequest, now, .miss(fill), isStale: false, standsIn: found.standsIn, isUnchanged)
        case .present(let cached, let tier):
            return answer(
                cached, tileRequest, now, hit(cached, now, tier), isStale: false, standsIn: found.standsIn, isUnchanged)
        case .stale(let cached, .revalidating(let tier)):
            return answer(cached, tileRequest, now, hit(cached, now, tier), isStale: true, isUnchanged)
        case .stale(let cached, .failed):
            return answer(cached, tileRequest, now, .stale(why: .error), isStale: true, isUnchanged)
        case .stale(let cached, .backingOff):
            return answer(cached, tileRequest, now, .stale(why: .backOff), isStale: true, isUnchanged)
        case .stale(let cached, .offline):
            return answer(cached, tileRequest, now, .stale(why: .offline), isStale: true, isUnchanged)
        case .unavailable(let reason, let retryAfter):
            return TileAnswers.unavailable(reason, retryAfter: retryAfter)
                .tagged(tileRequest.layer, TileOutcome(reason))
        }
    }
}
