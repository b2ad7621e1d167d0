/// The `admin` section: access to the admin routes, which for example clear the cache.
public struct AdminSettings: Sendable, Equatable {
    /// The bearer token of the admin routes: visible ASCII, 16…512 bytes in a file or the environment. Empty: the
    /// server makes a random token.
    public var token = ""
    /// Further host names for admin requests, in lower case and without a dot at the end. If an admin request has
    /// `Host`, it must be one of these names, `localhost`, an IP address, or the host of `ServerSettings.publicURL`.
    /// This protects against DNS rebinding: a web page of another site that leads to this server's address sends its
    /// own name.
    public var hosts: [String] = []

    /// Creates settings with defaults.
    public init() {}
}
