import Keys

/// The `metrics` section: where the server's numbers can be read.
public struct MetricsSettings: Sendable, Equatable {
    /// Where a listener of its own answers `/metrics`, `/health` and `/ready`, to everybody who can connect, and nothing else. Nil:
    /// there is none, and `/metrics` is where tiles are.
    public var listen: ListenAddress?
    /// Whether `/metrics` needs no token where tiles are.
    public var isPublic = false

    /// The defaults.
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
