import Raster

/// The settings of one layer or map: an entry of `layers` or `maps` in the configuration. The settings name the source
/// of the tiles. Some other settings correspond to the properties of a `GMSTileLayer` in the Maps SDK.
public struct LayerSettings: Sendable, Equatable {
    /// The name in the URL: `^[a-z0-9][a-z0-9_-]{0,63}$` and not in `reservedIDs`.
    public internal(set) var id: String
    /// The source of the tiles.
    public var source: LayerSource

    /// The layer's name for people. Nil: the source's own name, else the id.
    public var name: String?
    /// A sentence about the layer. It may contain line breaks.
    public var description: String?
    /// The attribution, as text or HTML.
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
    /// The area that has tiles. Nil: the source's own bounds, else everywhere.
    public var bounds: GeographicBox?
    /// The edge of a tile at scale 1 in pixels: 256 or 512 for generators, GeoJSON and maps, 64…4,096 for other
    /// sources.
    public var tileSize: Int {
        get { explicit.tileSize ?? 256 }
        set { explicit.tileSize = newValue }
    }
    /// The position in a stack, any 32-bit integer. A layer with a higher number is drawn on top.
    public var zIndex = 0
    /// The multiplier of the tiles' alpha, in 0…1.
    public var opacity = 1.0
    /// The blending of the layer with the layers below it in a map.
    public var blend = BlendMode.normal
    /// True if a client should fade tiles in. The server only passes this on.
    public var fadeIn = true
    /// True if maps draw the layer, and a client should draw it at first.
    public var visible = true
    /// Time for which a tile stays fresh in the cache if its source does not say; 0 s…3,650 d. The default is 24 h,
    /// limited by `minTTL` and `maxTTL`.
    public var ttl: Duration {
        get { explicit.ttl ?? min(max(.seconds(24 * 3_600), minTTL), maxTTL) }
        set { explicit.ttl = newValue }
    }
    /// Minimum time for which a tile stays fresh, if its source lets it be fresh at all; 0 s…3,650 d, at most `maxTTL`.
    /// The default is 5 min, or `ttl` if that was set to less. The default does not apply if the source forbids stale
    /// tiles. For generators the default is 0, because they know how long their tiles are valid.
    public var minTTL: Duration {
        get { explicit.minTTL ?? min(isGenerated ? .zero : .seconds(300), explicit.ttl ?? .seconds(300)) }
        set { explicit.minTTL = newValue }
    }
    /// Maximum time for which a tile stays fresh, whatever its source says; 0 s…3,650 d. The default is 30 d, or `ttl`
    /// if that was set to more.
    public var maxTTL: Duration {
        get { explicit.maxTTL ?? max(.seconds(30 * 86_400), explicit.ttl ?? .zero) }
        set { explicit.maxTTL = newValue }
    }
    /// True if `ttl` replaces the lifetime that the source states.
    public var overrideTTL = false
    /// Time after a tile's lifetime during which the server sends the stale tile while it fetches a new one; 0 s…3,650
    /// d. Nil: the time that the source states, else 60 s. If the source gives the lifetime 0, nil means no time
    /// instead of 60 s. If the source forbids stale tiles, nil means no time.
    public var staleWhileRevalidate: StaleTime?
    /// Time after a tile's lifetime during which the server sends the stale tile if no new tile can be fetched; 0
    /// s…3,650 d. Nil: the time that the source states, else 7 d. If the source forbids stale tiles, nil means no time.
    public var staleIfError: StaleTime?
    /// The stale times if neither the layer nor its source states them.
    package static let (usualStaleWhileRevalidate, usualStaleIfError) = (
        Duration.seconds(60), Duration.seconds(7 * 86_400)
    )
    /// True if the server never asks the source. It serves tiles of the cache only, however old they are.
    public var offline = false
    /// Allows or refuses exports of the layer, and of maps that draw the layer. Nil: the policy of the source's host
    /// decides, if the server knows the policy. Exports of an `offline` layer download nothing, and so are allowed.
    public var bulk: BulkDownloads?
    /// Time for which a client may keep a tile; 0 s…3,650 d.
    public var maxAge = Duration.seconds(3_600)
    /// The response to a request for a tile that does not exist.
    public var noTile = NoTile.notFound
    /// The body of an error for an `<img>` of a web page.
    public var errors = Errors.empty
    /// Time for which "no tile" is kept in the cache and by clients; 0 s…3,650 d.
    public var noTileMaxAge: Duration {
        get { explicit.noTileMaxAge ?? .seconds(3_600) }
        set { explicit.noTileMaxAge = newValue }
    }
    /// Maximum time in which the source returns a tile; 1 ms…10 min. After that the tile counts as unavailable. A wait
    /// for a turn at an upstream, and the layers of a map, have additional time.
    public var timeout = Duration.seconds(10)
    /// Maximum number of zooms between a missing tile and the coarser tile that replaces it, 0…30. With 0, a missing
    /// tile is replaced only if a request asks for it (`empty=overzoom`). The default is 0. The data of the generator
    /// `world` have no more detail beyond zoom 8. Unless `maxZoom` is set, its default therefore extends the layer to
    /// zoom 22: 14 with tiles of 256 pixels, 15 with tiles of 512 pixels.
    public var overzoom: Int {
        get { explicit.overzoom ?? 0 }
        set { explicit.overzoom = newValue }
    }
    /// True if an x beyond the world stands for the tile at that place when the world repeats.
    public var wrapX = false
    /// Maximum number of requests to the source at a time, in 1…1,024. Used for http and https templates, and a
    /// program's `URLTileLayer` or `SyncTileLayer`. For templates with the same host, the smallest number counts.
    public var maxConcurrent = 16
    /// PNG options for tiles that the server encodes. With the form `rgba`, the server also encodes the source's PNG
    /// tiles of another form again.
    public var png = PNGOptions.standard
    /// The format of a tile that is requested without a suffix.
    public var format = Format.auto
    /// The quality of JPEG and lossy WebP, 1…100. Nil: 80, but WebP is lossless unless `auto` chooses it for a
    /// photograph.
    public var quality: Int?

    /// True if the source is a generator. Generators know how long their tiles are valid.
    private var isGenerated: Bool { if case .generator = source { true } else { false } }

    /// The values that were set, of properties for which a set value and a default have different effects.
    public private(set) var explicit = Explicit()

    /// Creates a layer with the defaults.
    public init(id: String, source: LayerSource) {
        self.id = id
        self.source = source
    }

    /// Names that the server uses for its own routes. No layer or map can have them.
    public static let reservedIDs = [
        "admin", "assets", "events", "health", "layers", "metrics", "openapi", "qgis", "ready", "version", "wmts",
    ]

    /// The values that were set explicitly. A value is nil if the property was not set. The default is then used, which
    /// may depend on the source or on another property.
    public struct Explicit: Sendable, Equatable {
        /// The value that was set. Nil: 0, or the value from the MBTiles file or the map's layers.
        public fileprivate(set) var minZoom: Int?
        /// The value that was set. Nil: 22, or the value from the MBTiles file or the map's layers.
        public fileprivate(set) var maxZoom: Int?
        /// The value that was set. Nil: 0, or the value from the generator `world` or a program's layer.
        public fileprivate(set) var overzoom: Int?
        /// The value that was set, in pixels. Nil: 256, or the size from the MBTiles file or the map's layers.
        public fileprivate(set) var tileSize: Int?
        /// The value that was set. Nil: 24 h, limited by `minTTL` and `maxTTL`.
        public fileprivate(set) var ttl: Duration?
        /// The value that was set. Nil: 5 min, or `ttl` if that is less, or 0 for a generator.
        public fileprivate(set) var minTTL: Duration?
        /// The value that was set. Nil: 30 d, or `ttl` if that is more.
        public fileprivate(set) var maxTTL: Duration?
        /// The value that was set. Nil: 1 h.
        public fileprivate(set) var noTileMaxAge: Duration?
    }

    /// The time for which a stale tile may still be served after its lifetime.
    public enum StaleTime: Sendable, Equatable {
        /// This time after the tile's lifetime, whatever the source states.
        case upTo(Duration)
        /// The time that the source states, or no time if it states none.
        case source

        /// No time.
        public static let zero = StaleTime.upTo(.zero)

        /// A time in whole seconds.
        public static func seconds(_ seconds: some BinaryInteger) -> StaleTime { .upTo(.seconds(seconds)) }

        /// The time. Nil if the source decides.
        public var limit: Duration? {
            if case .upTo(let time) = self { time } else { nil }
        }
    }

    /// The operator's word on bulk downloads, such as exports. It counts before the policy of the source's host.
    public enum BulkDownloads: String, Sendable, CaseIterable {
        /// The operator has the permission of the source.
        case allow
        /// The tiles must not be exported.
        case refuse
    }

    /// The body of an error response to a request for an image. A browser marks such a request with `Sec-Fetch-Dest:
    /// image`. Other requests get a problem document.
    public enum Errors: String, Sendable, CaseIterable {
        /// An empty body.
        case empty
        /// A picture of the tile's size that shows the status and the problem's code.
        case picture
    }

    /// The image format of a tile if the URL has no suffix such as `.png`. The server uses this format only if the
    /// client's `Accept` allows the format.
    public enum Format: String, Sendable, CaseIterable {
        /// Usually JPEG or WebP for an opaque photograph, and lossless PNG or WebP for other tiles. WebP only for
        /// clients that accept it explicitly. A JPEG of the source stays a JPEG.
        case auto
        /// PNG.
        case png
        /// JPEG. Transparent parts show the map's background, or white.
        case jpeg
        /// WebP.
        case webp

        /// The fixed form. Nil if the form depends on the picture and the client.
        package var form: ImageForm? {
            switch self {
            case .auto: nil
            case .png: .png
            case .jpeg: .jpeg
            case .webp: .webp
            }
        }
    }

    /// The response to a request for a tile that does not exist.
    public enum NoTile: String, Sendable, CaseIterable {
        /// 404 with a problem body, or with the body of `errors` for an `<img>`.
        case notFound = "404"
        /// 204 without a body.
        case noContent = "204"
        /// 200 with a fully transparent image of the layer's size.
        case transparent
    }
}
