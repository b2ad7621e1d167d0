import Keys

/// The `metrics` section: access to the server's metrics.
public struct MetricsSettings: Sendable, Equatable {
    /// The address of a separate listener, which answers only `/metrics`, `/health` and `/ready`, without a token. Nil:
    /// there is no such listener, and the tile listener answers `/metrics`.
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
            "an address and a port where `/metrics`, `/health` and `/ready` are answered without a token, and nothing else; "
                + "`/metrics` is not where tiles are then"),
        Key(
            "public", \.isPublic, .boolean,
            "without `listen`: whether `/metrics` needs no token. Its numbers name layers and hosts of sources"
        ).following { section, metrics in
            if metrics.isPublic, metrics.listen != nil {
                section.warn("public", "has no effect, because metrics.listen has a listener of its own")
            }
        },
    ]
}
