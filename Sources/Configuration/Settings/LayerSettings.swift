/// One entry of `layers`: the server side of a `GMSTileLayer`'s properties, and where its tiles come from.
public struct LayerSettings: Sendable, Equatable {
    /// The name in the URL: `^[a-z0-9][a-z0-9_-]{0,63}$` and not in `reservedIDs`.
    public let id: String
    /// Where the tiles come from.
    public var source: LayerSource

    /// What people call the layer. Nil: its id.
    public var name: String?
    /// A sentence about the layer; may hold line breaks.
    public var description: String?
    /// Whom to credit, as text or HTML.
    public var attribution: String?
    /// The lowest zoom with tiles, in 0…30 and at most `maxZoom`.
    public var minZoom = 0
    /// The highest zoom with tiles, in 0…30.
    public var maxZoom = 22
    /// Where tiles exist. Nil: everywhere.
    public var bounds: LayerBounds?
    /// The edge of a tile at scale 1 in pixels: 64…4,096 for URLs, 256 or 512 for generators.
    public var tileSize = 256
    /// The place in a stack, any 32-bit integer; higher draws on top.
    public var zIndex = 0
    /// The multiplier of the tiles' alpha, in 0…1.
    public var opacity = 1.0
    /// Whether a client should fade tiles in; only told, never done here.
    public var fadeIn = true
    /// Whether a client should draw the layer at first.
    public var visible = true
    /// How long a tile stays fresh in the cache where its source does not say; 0 s…3,650 d.
    public var ttl = Duration.seconds(24 * 3_600)
    /// The shortest a tile stays fresh where its source gives it a life at all; 0 s…3,650 d, at most `maxTTL`.
    public var minTTL = Duration.seconds(300)
    /// The longest a tile stays fresh, whatever its source says; 0 s…3,650 d.
    public var maxTTL = Duration.seconds(30 * 86_400)
    /// Whether `ttl` counts and what the source says does not.
    public var overrideTTL = false
    /// How long after its life a tile is served while a new one is fetched; 0 s…3,650 d. Nil: what the source says, else
    /// 60 s.
    public var staleWhileRevalidate: Duration?
    /// How long after its life a tile is served where no new one can be had; 0 s…3,650 d. Nil: what the source says, else
    /// 7 d.
    public var staleIfError: Duration?
    /// Whether the source is never asked: only what the cache holds is served, however old.
    public var offline = false
    /// How long a client may keep a tile; 0 s…3,650 d.
    public var maxAge = Duration.seconds(3_600)
    /// What a request for a tile that does not exist gets.
    public var noTile = NoTile.notFound
    /// How long "no tile" is kept, here and by clients; 0 s…3,650 d.
    public var noTileMaxAge = Duration.seconds(3_600)
    /// How long a tile may take before it counts as unavailable; 1 ms…10 min.
    public var timeout = Duration.seconds(10)
    /// Whether an x beyond the world means the tile that lies there when the world repeats.
    public var wrapX = false
    /// The most tiles asked of the source at a time, in 1…1,024.
    public var maxConcurrent = 16

    /// A layer with the defaults.
    public init(id: String, source: LayerSource) {
        self.id = id
        self.source = source
    }

    /// Names that routes of the server need, so that no layer can have them.
    public static let reservedIDs = [
        "admin", "assets", "events", "health", "layers", "metrics", "qgis", "ready", "version", "wmts",
    ]

    /// What a request for a tile that does not exist gets.
    public enum NoTile: String, Sendable, CaseIterable {
        /// 404 with a problem body.
        case notFound = "404"
        /// 204 without a body.
        case noContent = "204"
        /// 200 with a fully transparent image of the layer's size.
        case transparent
    }
}
