import TileLayers

/// What a store has of a layer, and how it was used since the process began.
public struct StoreStatistics: Sendable, Equatable {
    public var usage = StoreUsage()
    public var hits = 0
    public var misses = 0
    /// Tiles that made room for others.
    public var evictions = 0
    /// Tiles that were not taken.
    public var skipped = 0

    public init() {}
}

/// A whole store, since the process began.
public struct StoreTotals: Sendable, Equatable {
    /// The sum of all layers, those that are not configured any more included.
    public var all = StoreStatistics()
    /// Bytes of all the database's files.
    public var fileBytes = 0
    /// Bytes of tiles that wait for being written.
    public var pendingBytes = 0
    /// Tiles are written.
    public var isWriting = true

    public init() {}
}

/// What a store knows of one tile.
public struct StoreExplanation: Sendable, Hashable {
    /// When the source made it, or last said that it is good; seconds since 1970.
    public var born: Int
    /// The first second in which it is stale; seconds since 1970.
    public var expires: Int
    public var grace: Grace
    public var validators: Validators?
    /// When it was last used, in seconds since 1970, not quite up to date; nil while it waits for being written.
    public var accessed: Int?
    /// Nil where the entry says that there is no tile.
    public var image: Image?

    public struct Image: Sendable, Hashable {
        /// Bytes.
        public var size: Int
        /// As `ImageFormat` numbers them.
        public var format: UInt8
        public var width: Int
        public var height: Int
        public var entityTag: String
    }
}
