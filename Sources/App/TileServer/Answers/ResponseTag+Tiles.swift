import HTTPServer
import Logging
import MapService
import Tiles

/// What the numbers of a tag mean here. A layer's slot is its number in the keys of its tiles: no other layer gets it while an
/// answer about it may be under way.
extension ResponseTag {
    /// An answer to a request for a tile of `layer`; `outcome` is nil where none was looked for.
    @inline(__always)
    init(_ layer: ServedLayer, _ outcome: TileOutcome?) {
        self.init(route: RouteKind.tile.rawValue, result: outcome?.rawValue ?? 0, slot: layer.source.number)
    }

    var kind: RouteKind { RouteKind(rawValue: route) ?? .unknown }

    /// Nil where the answer is not about a tile.
    var outcome: TileOutcome? { TileOutcome(rawValue: result) }

    /// What the access log says of the answer: the layer's id while it is one of `layers`, and how its tile came about.
    func logFields(_ layers: LayerTable) -> Logger.Metadata {
        var fields: Logger.Metadata = ["route": .string(kind.name)]
        if let layer = layers[number: slot] { fields["layer"] = .string(layer.id) }
        if let outcome { fields["result"] = .string(outcome.name) }
        return fields
    }
}

extension TileOutcome {
    /// That of a tile, or of the knowledge that there is none, of which the cache says `status`.
    @inline(__always)
    init(_ status: CacheStatus, isStale: Bool) {
        switch status {
        case .hit: self = isStale ? .stale : .hit
        case .stale(.offline): self = .offline
        case .stale(.error), .stale(.backOff): self = .stale
        case .miss(let fill): self = fill.collapsed ? .collapsed : .miss
        case .outside: self = .noTile
        case .unsaid, .unasked: self = .error
        }
    }

    /// That of a tile which cannot be had.
    init(_ reason: Unavailability) {
        switch reason {
        case .overloaded: self = .shed
        case .timeout, .unreachable, .upstreamStatus, .notAnImage, .placeholder, .upstreamDown, .backingOff, .offline,
            .corrupt, .tooComplex, .failed:
            self = .error
        }
    }
}

extension Response {
    /// The same, counted as `kind`.
    func tagged(_ kind: RouteKind) -> Response {
        var response = self
        response.tag.route = kind.rawValue
        return response
    }

    /// The same, counted as an answer about a tile of `layer`.
    func tagged(_ layer: ServedLayer, _ outcome: TileOutcome? = nil) -> Response {
        var response = self
        response.tag = ResponseTag(layer, outcome)
        return response
    }
}

extension Reply {
    /// This reply, whose answer is counted as `kind`. The head of a stream says so by itself.
    func tagged(_ kind: RouteKind) -> Reply { mapped { $0.tagged(kind) } }
}
