import CDN
import Fleet

/// Everything an operator can set.
///
/// A plain value for any thread. It is read from a YAML file (`load`, `parse`), which judges it, or built in code: a
/// `TileServer` judges it then, by the ranges named at each property.
public struct Configuration: Sendable, Equatable {
    /// Where and how the server listens.
    public var server = ServerSettings()
    /// Who may clear the cache.
    public var admin = AdminSettings()
    /// What each client may ask for.
    public var limits = ClientLimitSettings()
    /// What is written about the server's work.
    public var log = LogSettings()
    /// What the server keeps.
    public var cache = CacheSettings()
    /// What servers share that serve the same layers. Nil: this one serves alone.
    public var fleet: FleetSettings?
    /// Where the server's numbers can be read.
    public var metrics = MetricsSettings()
    /// What caches in front are told.
    public var cdn = CDNSettings()
    /// The layers in the order of the file, which decides between layers of equal `zIndex`. Ids are unique.
    public var layers: [LayerSettings] = []
    /// The maps, whose sources are all `.map` and name layers of `layers`. Ids are unique among layers and maps.
    public var maps: [LayerSettings] = []

    /// The defaults, with `layers`.
    public init(layers: [LayerSettings] = []) {
        self.layers = layers
    }
}
