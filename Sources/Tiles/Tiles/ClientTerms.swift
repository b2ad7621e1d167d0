/// Tells how long clients may keep a tile. This is not longer than the source allows, unless the operator has set
/// another time. The cache of this server may keep the tile for longer, to save requests to the source.
public struct ClientTerms: Sendable, Hashable {
    /// Seconds from the time when the source made the tile during which a client may use it without asking. Nil if the
    /// source sets no limit, or if the operator's settings replace the limit.
    public var lifetime: UInt32?
    /// Further rules for clients.
    public var rules: Rules

    /// Rules for clients in addition to the lifetime. If a tile is made from several tiles, the rules of all these
    /// tiles apply.
    public struct Rules: OptionSet, Sendable, Hashable {
        /// One bit for each rule.
        public let rawValue: UInt8

        /// Makes the set of rules from its bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// A client must not use the tile after it is stale (RFC 9111 5.2.2.2).
        public static let mustRevalidate = Rules(rawValue: 1)
        /// Clients are not told for how long the cache serves the stale tile while it fetches a new one.
        public static let withoutStaleWhileRevalidate = Rules(rawValue: 2)
        /// Clients are not told for how long the cache serves the stale tile if no new one can be fetched.
        public static let withoutStaleIfError = Rules(rawValue: 4)
    }

    /// Makes terms. The defaults are the terms of a tile whose source says nothing.
    public init(lifetime: UInt32? = nil, rules: Rules = []) {
        self.lifetime = lifetime
        self.rules = rules
    }
}
