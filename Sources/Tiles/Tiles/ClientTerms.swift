/// The terms under which clients may keep a tile. Clients may keep a tile no longer than its source allows, unless the
/// operator says otherwise. The cache itself may keep the tile for longer, to save requests to the source.
public struct ClientTerms: Sendable, Hashable {
    /// Seconds from the time when the source made the tile during which a client may use it without asking. Nil if the
    /// source sets no limit.
    public var lifetime: UInt32?
    /// Further rules for clients.
    public var rules: Rules

    /// Rules for clients besides the lifetime. A tile that is made from several tiles has the rules of all of them.
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
