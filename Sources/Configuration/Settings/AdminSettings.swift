/// The `admin` section: who may clear the cache.
public struct AdminSettings: Sendable, Equatable {
    /// The bearer token that the admin routes ask for: visible ASCII, at most 512 bytes.
    /// Empty: the server makes a random one at its start.
    public var token = ""

    /// The defaults.
    public init() {}
}
