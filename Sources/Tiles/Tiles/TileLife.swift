/// Tells how long a tile may be served, in whole seconds. The times follow from the terms of the source and the
/// settings of the layer.
///
/// The lifetime begins when the source made or confirmed the tile (RFC 9111 4.2.3). This moment is the tile's birth. A
/// cache stores the birth separately, by its own clock. The times for a stale tile begin at the end of the lifetime.
public struct TileLife: Sendable, Hashable {
    /// Time during which the cache serves the tile without asking.
    public var lifetime: UInt32
    /// Time after the lifetime during which the cache serves the tile while it fetches a new one (RFC 5861 3).
    public var staleWhileRevalidate: UInt32
    /// Time after the lifetime during which the cache serves the tile if no new one can be fetched (RFC 5861 4).
    public var staleIfError: UInt32
    /// The lifetime that the source gave. Nil if the layer's settings apply instead.
    public var stated: UInt32?
    /// The terms for clients.
    public var clients: ClientTerms

    /// Makes a lifetime. By default, the tile must not be served when it is stale, and the source has stated no
    /// lifetime and no terms for clients.
    public init(
        lifetime: UInt32, staleWhileRevalidate: UInt32 = 0, staleIfError: UInt32 = 0, stated: UInt32? = nil,
        clients: ClientTerms = ClientTerms()
    ) {
        self.lifetime = lifetime
        self.staleWhileRevalidate = staleWhileRevalidate
        self.staleIfError = staleIfError
        self.stated = stated
        self.clients = clients
    }

    /// The lifetime of a tile that is stale at once and must not be served then.
    public static let none = TileLife(lifetime: 0)
}
