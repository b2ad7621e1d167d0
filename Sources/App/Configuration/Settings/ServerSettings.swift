import Keys

/// The `server` section: where and how the server listens.
public struct ServerSettings: Sendable, Equatable {
    /// The address to listen on: an IPv4 or IPv6 address (no brackets, no zone), or `localhost`.
    public var host = "127.0.0.1"
    /// The TCP port in 0…65535; 0 lets the system choose a free one.
    public var port = 8080
    /// What clients see in front of every path, such as `https://tiles.example.org/maps`; without a slash at its end.
    /// Nil: trusted forwarded headers or `Host` decide.
    public var publicURL: String?
    /// The reverse proxies whose forwarded headers are believed. Empty: none are.
    public var trustedProxies: [AddressBlock] = []
    /// The number of reactors in 0…256; 0 is one per core.
    public var reactors = 0
    /// The most bytes that the process uses, in 32 MiB…2 TiB: what is for clients is refused before that. Nil: 256 MiB beside
    /// 1.25 × `CacheSettings.memory`, or nine tenths of the control group's limit where that is less.
    public var memory: Int?
    /// Whether a file that the configuration was read from is read again when it changes.
    public var watch = false
    /// How long `/ready` says that the server stops before it does; 0 s…1 h. Whoever asks it has that long to send clients elsewhere.
    /// With more than 0 s the server also listens until its answers under way are sent.
    public var drainDelay = Duration.zero
    /// What a client may ask for before it is turned away.
    public var limits = ServerLimits()

    /// The defaults.
    public init() {}
}
