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
