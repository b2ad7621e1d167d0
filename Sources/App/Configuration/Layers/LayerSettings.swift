import Raster

/// One entry of `layers` or `maps`: the server side of a `GMSTileLayer`'s properties, and where its tiles come from.
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
    public var minZoom: Int {
        get { explicit.minZoom ?? 0 }
        set { explicit.minZoom = newValue }
    }
    /// The highest zoom with tiles, in 0…30.
    public var maxZoom: Int {
        get { explicit.maxZoom ?? 22 }
        set { explicit.maxZoom = newValue }
    }
    /// Where tiles exist. Nil: everywhere.
    public var bounds: GeographicBox?
    /// The edge of a tile at scale 1 in pixels: 64…4,096 for URLs and MBTiles, 256 or 512 for generators and GeoJSON.
    public var tileSize: Int {
        get { explicit.tileSize ?? 256 }
        set { explicit.tileSize = newValue }
    }
    /// The place in a stack, any 32-bit integer; higher draws on top.
    public var zIndex = 0
    /// The multiplier of the tiles' alpha, in 0…1.
    public var opacity = 1.0
    /// How the layer meets what is below it in a map.
    public var blend = BlendMode.normal
    /// Whether a client should fade tiles in; only told, never done here.
    public var fadeIn = true
    /// Whether a client should draw the layer at first, and whether maps do.
    public var visible = true
    /// How long a tile stays fresh in the cache where its source does not say; 0 s…3,650 d. The default, 24 h, keeps
    /// within `minTTL` and `maxTTL`.
    public var ttl: Duration {
        get { explicit.ttl ?? min(max(.seconds(24 * 3_600), minTTL), maxTTL) }
        set { explicit.ttl = newValue }
    }
    /// The shortest a tile stays fresh where its source gives it a life at all; 0 s…3,650 d, at most `maxTTL`. The
    /// default, 5 min, gives way to a `ttl` that was set below it. Generators have none: they know their own tiles.
    public var minTTL: Duration {
        get { explicit.minTTL ?? min(isGenerated ? .zero : .seconds(300), explicit.ttl ?? .seconds(300)) }
        set { explicit.minTTL = newValue }
    }
    /// The longest a tile stays fresh, whatever its source says; 0 s…3,650 d. The default, 30 d, gives way to a `ttl`
    /// that was set above it.
    public var maxTTL: Duration {
        get { explicit.maxTTL ?? max(.seconds(30 * 86_400), explicit.ttl ?? .zero) }
        set { explicit.maxTTL = newValue }
    }
    /// Whether `ttl` counts and what the source says does not.
    public var overrideTTL = false
    /// How long after its life a tile is served while a new one is fetched; 0 s…3,650 d. Nil: what the source says,
    /// else 60 s.
    public var staleWhileRevalidate: StaleTime?
    /// How long after its life a tile is served where no new one can be had; 0 s…3,650 d. Nil: what the source says,
    /// else 7 d.
    public var staleIfError: StaleTime?
    /// Where neither the layer nor its source says how long a stale tile is served.
    package static let (usualStaleWhileRevalidate, usualStaleIfError) = (
        Duration.seconds(60), Duration.seconds(7 * 86_400)
    )
    /// Whether the source is never asked: only what the cache holds is served, however old.
    public var offline = false
    /// How long a client may keep a tile; 0 s…3,650 d.
    public var maxAge = Duration.seconds(3_600)
    /// What a request for a tile that does not exist gets.
    public var noTile = NoTile.notFound
    /// What an `<img>` of a web page gets where its tile is an error.
    public var errors = Errors.empty
    /// How long "no tile" is kept, here and by clients; 0 s…3,650 d.
    public var noTileMaxAge: Duration {
        get { explicit.noTileMaxAge ?? .seconds(3_600) }
        set { explicit.noTileMaxAge = newValue }
    }
    /// How long a tile may take before it counts as unavailable; 1 ms…10 min.
    public var timeout = Duration.seconds(10)
    /// How many zooms a tile that does not exist is cut out of the nearest one above it, 0…30; 0: not at all.
    public var overzoom = 0
    /// Whether an x beyond the world means the tile that lies there when the world repeats.
    public var wrapX = false
    /// The most tiles asked of the source at a time, in 1…1,024.
    public var maxConcurrent = 16
    /// How tiles that the server encodes itself become PNG.
    public var png = PNGOptions.standard
    /// What a tile is sent as that is asked for without a suffix.
    public var format = Format.auto
    /// Of JPEG and lossy WebP, 1…100. Nil: 80, and WebP is lossless where it is asked for by its name.
    public var quality: Int?

    /// Generators know how long their own tiles are good.
    private var isGenerated: Bool { if case .generator = source { true } else { false } }

    /// What was set of the properties whose default is not the same for every layer.
    public private(set) var explicit = Explicit()

    /// A layer with the defaults.
    public init(id: String, source: LayerSource) {
        self.id = id
        self.source = source
    }

    /// Names that routes of the server need, so that no layer can have them.
    public static let reservedIDs = [
        "admin", "assets", "events", "health", "layers", "metrics", "openapi", "qgis", "ready", "version", "wmts",
    ]

    /// What was set; nil where the default holds, which a source's own description or another property may decide.
    public struct Explicit: Sendable, Equatable {
        /// As it was set; nil: 0, or what the MBTiles file says.
        public fileprivate(set) var minZoom: Int?
        /// As it was set; nil: 22, or what the MBTiles file says.
        public fileprivate(set) var maxZoom: Int?
        /// As it was set, in pixels; nil: 256, or the size of the tiles in the MBTiles file.
        public fileprivate(set) var tileSize: Int?
        /// As it was set; nil: 24 h within the bounds.
        public fileprivate(set) var ttl: Duration?
        /// As it was set; nil: 5 min, or a lesser `ttl`.
        public fileprivate(set) var minTTL: Duration?
        /// As it was set; nil: 30 d, or a greater `ttl`.
        public fileprivate(set) var maxTTL: Duration?
        /// As it was set; nil: 1 h.
        public fileprivate(set) var noTileMaxAge: Duration?
    }

    /// How long a stale tile is of use.
    public enum StaleTime: Sendable, Equatable {
        /// For so long after its life, whatever the source says.
        case upTo(Duration)
        /// For as long as the source says, and not at all where it says nothing.
        case source

        /// Not at all.
        public static let zero = StaleTime.upTo(.zero)

        /// Whole seconds.
        public static func seconds(_ seconds: some BinaryInteger) -> StaleTime { .upTo(.seconds(seconds)) }

        /// The time; nil where the source decides.
        public var limit: Duration? {
            if case .upTo(let time) = self { time } else { nil }
        }
    }

    /// What stands in an error for who asked for an image, as a browser says by `Sec-Fetch-Dest: image`; others get a
    /// problem.
    public enum Errors: String, Sendable, CaseIterable {
        /// Nothing.
        case empty
        /// A picture of the tile's size that says the status and the problem's code.
        case picture
    }

    /// What a tile is sent as that is asked for without a suffix, where the client's `Accept` allows it.
    public enum Format: String, Sendable, CaseIterable {
        /// JPEG or WebP where it is an opaque photograph, else without loss: PNG, or WebP for clients that name it.
        case auto
        /// Always PNG.
        case png
        /// JPEG; what is translucent lies on the map's background, or on white.
        case jpeg
        /// WebP.
        case webp

        /// The form of every image of the layer; nil if picture and client decide.
        package var form: ImageForm? {
            switch self {
            case .auto: nil
            case .png: .png
            case .jpeg: .jpeg
            case .webp: .webp
            }
        }
    }

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
