import Keys

/// The `server` section: the address and port at which the server listens, and how it treats connections.
public struct ServerSettings: Sendable, Equatable {
    /// The address to listen on: an IPv4 or IPv6 address (no brackets, no zone), or `localhost`.
    public var host = "127.0.0.1"
    /// The TCP port for plain HTTP in 0…65535; 0 lets the system choose a free one. Nil: there is no plain HTTP, and
    /// `https` must be set.
    public var port: Int? = 8080
    /// HTTPS. Nil: the server speaks only plain HTTP.
    public var https: HTTPSSettings?
    /// The URL that clients see in front of every path, such as `https://tiles.example.org/maps`, without a slash at
    /// the end. Nil: trusted forwarded headers or `Host` decide.
    public var publicURL: String?
    /// The reverse proxies whose forwarded headers are trusted. Empty: none.
    public var trustedProxies: [AddressBlock] = []
    /// Number of event loops (reactors), in 0…256; 0 is one per core.
    public var reactors = 0
    /// Maximum memory of the process in bytes, in 32 MiB…2 TiB. The server refuses requests before it exceeds this
    /// limit. Nil: 256 MiB plus 1.25 × `CacheSettings.memory`, or nine tenths of the control group's limit if that is
    /// less.
    public var memory: Int?
    /// True if the server reads its configuration file again after a change.
    public var watch = false
    /// Time between the moment when `/ready` begins to fail and the stop of the server; 0 s…1 h. A load balancer has
    /// this time to send clients elsewhere. With more than 0 s, the server also listens until the responses in progress
    /// are sent, or until `limits.drain` is over.
    public var drainDelay = Duration.zero
    /// True if the plain port also speaks HTTP/2 to clients that begin with it (prior knowledge), such as HAProxy.
    public var h2c = false
    /// Limits of connections and requests, beyond which the server refuses clients.
    public var limits = ServerLimits()

    /// Creates settings with defaults.
    public init() {}

    /// The port that names the server on this machine, for example in the name of its token file: the plain port, or
    /// the HTTPS port if there is no plain port.
    package var ownPort: Int { port ?? https?.port ?? 0 }
}
