/// The `cache` section: what the server keeps.
public struct CacheSettings: Sendable, Equatable {
    /// The most bytes of tiles in memory, overhead included; 0…1 TiB, 0 keeps none.
    public var memory = 256 << 20
    /// The directory of files the server writes (the admin token it made), absolute or relative to the working directory.
    public var directory = "var"

    /// The defaults.
    public init() {}
}
