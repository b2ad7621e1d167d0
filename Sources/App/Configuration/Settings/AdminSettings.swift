/// The `admin` section: who may clear the cache.
public struct AdminSettings: Sendable, Equatable {
    /// The bearer token that the admin routes ask for: visible ASCII, 16…512 bytes where a file or the environment says
    /// it. Empty: the server makes a random one at its start.
    public var token = ""
    /// Names by which admin requests may call the server in `Host`, in lower case and without a dot at their end, beside
    /// `localhost`, addresses and the host of `ServerSettings.publicURL`. A page of another name that leads to this
    /// server's address (DNS rebinding) calls it by that name.
    public var hosts: [String] = []

    /// The defaults.
    public init() {}
}
