import Bytes
import Configuration
import EventLog
import HTTPServer
import Logging
import MapGeometry
import Raster
import Reactor
import Synchronization
import TileCache
import TileLayers

/// Answers requests for tiles: from memory at once, otherwise by the loader.
///
/// Thread rule: any thread; `reply` is called on the reactors' queues.
struct TileResponder: Sendable {
    let layers: LayerTable
    let loader: TileLoader
    let log: EventLog

    /// What of a request is needed to answer it, whenever that may be.
    private struct Wanted: Sendable {
        let layer: ServedLayer
        let address: TileAddress
        let empty: LayerSettings.NoTile
        /// The URL names the layer's current generation, so what is behind it never changes.
        let isVersioned: Bool
        let key: TileKey
    }

    /// The answer to a request for the tile at `path`.
    func reply(to request: Request, path: TilePath) -> Reply {
        guard let place = layers.place(of: path.layer) else {
            log.record("unknown_layer", level: .info, ["text": .string(Self.quote(path.layer))])
            return .ready(TileAnswers.unknownLayer)
        }
        do throws(TileAddress.Fault) {
            let layer = layers.layers[place]
            let address = try TileAddress(path, wraps: layer.settings.wrapX)
            return reply(to: request, layer: layer, address: address)
        } catch {
            return .ready(refusal(error))
        }
    }

    private func refusal(_ fault: TileAddress.Fault) -> Response {
        switch fault {
        case .coordinate:
            log.record("bad_coord", level: .info)
            return TileAnswers.badCoordinates
        case .suffix: return TileAnswers.unsupportedFormat
        case .scale: return TileAnswers.unsupportedScale
        }
    }

    private func reply(to request: Request, layer: ServedLayer, address: TileAddress) -> Reply {
        let query = TileQuery(request.query)
        guard !query.hasUnknownEmpty else { return .ready(TileAnswers.badEmpty) }
        guard layer.scales.contains(address.scale) else { return .ready(TileAnswers.unsupportedScale) }
        let key = layer.key(at: address.coordinate, scale: address.scale)
        let wanted = Wanted(
            layer: layer, address: address, empty: query.empty ?? layer.settings.noTile,
            isVersioned: query.generation == Int(key.generation), key: key)
        let conditions = Conditions(request)
        guard layer.extent.contains(address.coordinate) else {
            return .ready(outside(wanted) { conditions.isUnchanged($0) })
        }
        let now = request.time
        if let cached = loader.cached(key, now: now) {
            return .ready(answer(cached, wanted, now) { conditions.isUnchanged($0) })
        }
        let kept = conditions.kept
        return .pending { await load(wanted, kept) }
    }

    // MARK: Answers

    /// A tile beyond the layer's zooms or bounds: known without asking anybody.
    private func outside(_ wanted: Wanted, isUnchanged: (TileEntry) -> Bool) -> Response {
        noTile(wanted, Caching(.lifetime(maxAge: wanted.layer.control.noTileMaxAge), source: .outside), isUnchanged)
    }

    private func answer(
        _ cached: CachedTile, _ wanted: Wanted, _ now: MonotonicTime, isUnchanged: (TileEntry) -> Bool
    ) -> Response {
        let left = Int(cached.expires.seconds(since: now))
        let source = Caching.Source.hit(ttl: left)
        let age = Int(now.seconds(since: cached.storedAt))
        return answer(cached, wanted, left, source, age: age, fill: nil, isUnchanged: isUnchanged)
    }

    private func answer(
        _ cached: CachedTile, _ wanted: Wanted, _ left: Int, _ source: Caching.Source, age: Int?, fill: Int?,
        isUnchanged: (TileEntry) -> Bool
    ) -> Response {
        let times = wanted.layer.control
        switch cached.content {
        case .tile(let entry):
            guard suffixFits(wanted, entry) else { return TileAnswers.unsupportedFormat }
            let control: Caching.Control = wanted.isVersioned ? .immutable : .lifetime(maxAge: min(times.maxAge, left))
            let caching = Caching(control, source: source, age: age, fillMicroseconds: fill)
            let response = TileAnswers.tile(entry, caching: caching, isUnchanged: isUnchanged(entry))
            return wanted.address.isWrapped ? located(response, wanted) : response
        case .noTile:
            let control = Caching.Control.lifetime(maxAge: min(times.noTileMaxAge, left))
            return noTile(wanted, Caching(control, source: source, age: age, fillMicroseconds: fill), isUnchanged)
        }
    }

    private func load(_ wanted: Wanted, _ conditions: Conditions.Kept?) async -> Response {
        switch await loader.load(wanted.key, from: wanted.layer.source) {
        case .present(let cached):
            return answer(cached, wanted, .now()) { conditions?.isUnchanged($0) ?? false }
        case .found(let cached, let fill):
            let source = Caching.Source.miss(collapsed: fill.collapsed, stored: fill.stored)
            let left = Int(cached.expires.seconds(since: cached.storedAt))
            return answer(cached, wanted, left, source, age: nil, fill: fill.microseconds) {
                conditions?.isUnchanged($0) ?? false
            }
        case .unavailable(let reason, let retryAfter):
            return TileAnswers.unavailable(reason, retryAfter: retryAfter)
        case .backingOff(let retryAfter):
            return TileAnswers.backingOff(retryAfter: retryAfter)
        }
    }

    /// `.png` is every layer's name for its tiles and gets what the source has, said truly; another suffix must be
    /// true.
    private func suffixFits(_ wanted: Wanted, _ entry: TileEntry) -> Bool {
        wanted.address.format == .png || wanted.address.format == entry.tile.format
    }

    private func noTile(_ wanted: Wanted, _ caching: Caching, _ isUnchanged: (TileEntry) -> Bool) -> Response {
        let (coordinate, id) = (wanted.address.coordinate, wanted.layer.id)
        guard wanted.empty == .transparent else {
            let fields = TileDescription.noTileFields(at: coordinate, layer: id)
            return TileAnswers.noTile(isEmpty: wanted.empty == .noContent, fields: fields, caching: caching)
        }
        let blank = TileDescription.blank(wanted.layer.blank(scale: wanted.address.scale), at: coordinate, layer: id)
        return TileAnswers.tile(blank, caching: caching, isUnchanged: isUnchanged(blank))
    }

    /// Says which tile a wrapped x means (RFC 9110 8.7).
    private func located(_ response: Response, _ wanted: Wanted) -> Response {
        var response = response
        let scale = wanted.address.scale == 1 ? "" : "@\(wanted.address.scale)x"
        let location = "/\(wanted.layer.id)/\(wanted.address.coordinate)\(scale).\(wanted.address.format.suffix)"
        response.fields = SharedBytes(response.fields.array + FieldLines.make([("Content-Location", location)]).array)
        return response
    }

    /// The first bytes of what is no layer's name, as text for the log.
    private static func quote(_ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes.prefix(64), as: UTF8.self)
    }
}

extension ImageFormat {
    /// The suffix of a tile's path, without the dot.
    var suffix: String {
        switch self {
        case .png: "png"
        case .jpeg: "jpg"
        case .webp: "webp"
        case .gif: "gif"
        }
    }
}
