import Keys

/// The `metrics` section: access to the server's metrics.
public struct MetricsSettings: Sendable, Equatable {
    /// The address of a separate listener, which answers only `/metrics`, `/health` and `/ready`, without a token. Nil:
    /// the tile listener answers `/metrics`, unless a service manager passes a socket for metrics.
    public var listen: ListenAddress?
    /// True if `/metrics` needs no token on the tile listener.
    public var isPublic = false

    /// Creates settings with defaults.
    public init() {}
}

extension MetricsSettings: KeyedSettings {
    package static let keys: [Key<MetricsSettings>] = [
        Key(
            "listen", optional: \.listen, .listenAddress, takesNull: true,
            "separate address and port for `/metrics`, `/health` and `/ready` only, without a token. The main "
                + "port then has no `/metrics`"),
        Key(
            "public", \.isPublic, .boolean,
            "whether `/metrics` needs no token if `listen` is unset. Metrics name layers and upstream hosts"
        ).following { section, metrics in
            if metrics.isPublic, metrics.listen != nil {
                section.warn("public", "has no effect if metrics.listen is set")
            }
        },
    ]
}
