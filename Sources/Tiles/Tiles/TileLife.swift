/// How long a tile lives, from its source's word to the `Cache-Control` of an answer with it. Whole seconds.
///
/// All is counted from the tile's birth: when its source made it, or last said that it is good (RFC 9111 4.2.3). Whoever
/// holds a tile holds its birth, by a clock of its own, beside this.
public struct TileLife: Sendable, Hashable {
    /// In which the cache serves it without asking.
    public var lifetime: UInt32
    /// After the lifetime: in which the cache serves it while a new one is fetched (RFC 5861 3).
    public var staleWhileRevalidate: UInt32
    /// After the lifetime: in which the cache serves it where no new one can be had (RFC 5861 4).
    public var staleIfError: UInt32
    /// The lifetime that its source gave it; nil where the source gave none, so that the layer's own rule holds.
    public var stated: UInt32?
    /// What clients may be told of it.
    public var clients: ClientTerms

    /// Of a tile whose source says nothing, unless told otherwise.
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

    /// Of something that is stale at once and of no use then.
    public static let none = TileLife(lifetime: 0)
}
