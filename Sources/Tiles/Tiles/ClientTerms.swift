/// What clients may be told about keeping a tile: no more than its source says, unless the operator does. The cache itself may
/// keep it for longer, to spare the source.
public struct ClientTerms: Sendable, Hashable {
    /// Seconds, counted from when the source made the tile, in which a client may use it without asking; nil: the source
    /// sets no limit.
    public var lifetime: UInt32?
    /// What a client is told beside the lifetime.
    public var rules: Rules

    /// What is told beside the lifetime. Of several tiles that one is made of, the rules of all hold.
    public struct Rules: OptionSet, Sendable, Hashable {
        /// A bit for each rule.
        public let rawValue: UInt8

        /// The rules whose bits are set.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// A client must not use the tile once it is stale (RFC 9111 5.2.2.2).
        public static let mustRevalidate = Rules(rawValue: 1)
        /// How long the cache itself uses the stale tile while it fetches a new one is its own affair.
        public static let withoutStaleWhileRevalidate = Rules(rawValue: 2)
        /// The same of a stale tile where no new one can be had.
        public static let withoutStaleIfError = Rules(rawValue: 4)
    }

    /// Of a tile whose source says nothing, unless told otherwise.
    public init(lifetime: UInt32? = nil, rules: Rules = []) {
        self.lifetime = lifetime
        self.rules = rules
    }
}
