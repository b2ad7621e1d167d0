import Bytes
import TileLayers

/// A layer with what the loader must know to ask it and to keep what it says.
public struct TileSource: Sendable {
    /// The layer's number: its place in the memory store's list.
    public let number: UInt16
    public let layer: any TileLayer
    public let conduct: Conduct
    public let generation: Generation
    /// Seconds that a tile is fresh.
    public let timeToLive: Double
    /// Seconds that "no tile" is believed.
    public let noTileTimeToLive: Double
    /// Seconds after which a layer that has not answered counts as unavailable.
    public let timeout: Double

    /// What the loader may rely on when it calls the layer.
    public enum Conduct: Sendable {
        /// Nothing: the layer's code runs on Swift's own threads, and an answer may never come.
        case unknown
        /// It only waits, never blocks or computes, so it may run on the reactor that asks.
        case nonblocking
        /// As `nonblocking`, and it always answers, by a deadline of its own.
        case prompt
    }

    public init(
        number: UInt16, layer: any TileLayer, conduct: Conduct, generation: Generation,
        timeToLive: Double, noTileTimeToLive: Double, timeout: Double
    ) {
        self.number = number
        self.layer = layer
        self.conduct = conduct
        self.generation = generation
        self.timeToLive = timeToLive
        self.noTileTimeToLive = noTileTimeToLive
        self.timeout = timeout
    }
}

/// What became of a request for a tile that was not in memory.
public enum Loaded: Sendable {
    /// The tile, or that there is none.
    case found(CachedTile, Fill)
    /// The tile, which somebody stored a moment ago.
    case present(CachedTile)
    /// Not now; ask again in `retryAfter` seconds.
    case unavailable(Unavailability, retryAfter: Int)
    /// Not asked, because it failed a moment ago; ask again in `retryAfter` seconds.
    case backingOff(retryAfter: Int)

    /// How a tile came to be.
    public struct Fill: Sendable {
        /// It was made for another request, which this one joined.
        public var collapsed = false
        public var stored = false
        /// Microseconds from the question to the layer to its answer.
        public var microseconds = 0
    }
}
