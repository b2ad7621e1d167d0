import CDN
import Fleet

/// All settings of a server. A program can read a configuration from a YAML file with `load` or `parse`, which check
/// the values. A program can also build a configuration in code, and then `TileServer` checks the values. A
/// configuration is a plain value that any thread may use.
public struct Configuration: Sendable, Equatable {
    /// Where the server listens, and how it treats connections.
    public var server = ServerSettings()
    /// Access to the admin routes, for example to clear the cache.
    public var admin = AdminSettings()
    /// Limits for each client.
    public var limits = ClientLimitSettings()
    /// The log.
    public var log = LogSettings()
    /// The cache.
    public var cache = CacheSettings()
    /// Settings of a fleet of servers for the same layers. Nil: this server is not in a fleet.
    public var fleet: FleetSettings?
    /// Access to the server's metrics.
    public var metrics = MetricsSettings()
    /// Settings for caches in front of the server.
    public var cdn = CDNSettings()
    /// Fonts for characters that DejaVu Sans, the font of the program, does not have: files, such as `a.ttf` or
    /// `b.ttc#2`, and directories. They are the fonts of the process, so two servers of a program have the same fonts.
    public var fonts: [String] = []
    /// Directories whose archives are served. Each file that ends in `.mbtiles` or `.pmtiles` is a layer of its name,
    /// while the file is there. A layer or map with the same name takes precedence.
    public var archives: [String] = []
    /// The keys that all layers share, for the layers of `archives`. Nil: none. Their id and their source have no
    /// meaning.
    package var layerDefaults: LayerSettings?
    /// The layers in the order of the file, in which the server lists them. Ids are unique.
    public var layers: [LayerSettings] = []
    /// The maps. Their sources are all `.map` and name layers of `layers`. Ids are unique among layers and maps.
    public var maps: [LayerSettings] = []

    /// Creates a configuration of `layers` and defaults.
    public init(layers: [LayerSettings] = []) {
        self.layers = layers
    }
}
