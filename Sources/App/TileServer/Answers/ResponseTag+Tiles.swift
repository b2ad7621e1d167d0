import HTTPServer
import Logging
import MapService
import Tiles

/// Converts the numbers in a response tag to the kind, the outcome and the layer of a request. Metrics and logs use
/// them. The slot is the layer number from the cache keys. While a response about the layer may be in progress, no
/// other layer gets this number.
extension ResponseTag {
    /// Makes the tag of a response to a request for a tile of `layer`. `outcome` is nil if no tile was looked up.
    @inline(__always)
    init(_ layer: ServedLayer, _ outcome: TileOutcome?) {
        self.init(route: RouteKind.tile.rawValue, result: outcome?.rawValue ?? 0, slot: layer.source.number)
    }

    var kind: RouteKind { RouteKind(rawValue: route) ?? .unknown }

    /// The outcome of a tile request. Nil if no tile was looked up.
    var outcome: TileOutcome? { TileOutcome(rawValue: result) }

    /// Returns the fields for the access log: the route, the outcome of the tile, and the id of the layer. The id is
    /// missing if the layer is not one of `layers`.
    func logFields(_ layers: LayerTable) -> Logger.Metadata {
        var fields: Logger.Metadata = ["route": .string(kind.name)]
        if let layer = layers[number: slot] { fields["layer"] = .string(layer.id) }
        if let outcome { fields["result"] = .string(outcome.name) }
        return fields
    }
}

extension TileOutcome {
    /// Makes the outcome of a tile, or of a tile that is known to be missing, from its cache status.
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

    /// Makes the outcome of an unavailable tile.
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
    /// Returns this response, counted as a response of `kind`.
    func tagged(_ kind: RouteKind) -> Response {
        var response = self
        response.tag.route = kind.rawValue
        return response
    }

    /// Returns this response, counted as a response about a tile of `layer`.
    func tagged(_ layer: ServedLayer, _ outcome: TileOutcome? = nil) -> Response {
        var response = self
        response.tag = ResponseTag(layer, outcome)
        return response
    }
}

extension Reply {
    /// Returns this reply, counted as a reply of `kind`. The head of a stream has its own tag.
    func tagged(_ kind: RouteKind) -> Reply { mapped { $0.tagged(kind) } }
}
