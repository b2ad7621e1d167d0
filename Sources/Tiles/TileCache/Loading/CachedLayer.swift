import MapGeometry
import Tiles

/// A layer with what the loader must know to ask it and to keep its answers.
///
/// A class to own the layer's number: as long as the source exists, no other layer gets it. Immutable.
package final class CachedLayer: Sendable {
    /// The layer's number: its index in the memory store's lists.
    package let number: UInt16
    /// The same for another source of the layer, which takes over the tiles.
    package let ownNumber: LayerNumber
    /// The layer's id, as answers and the log name it.
    package let name: String
    package let execution: Execution
    package let generation: Generation
    package let freshness: FreshnessPolicy
    /// Seconds after which a layer that has not answered counts as unavailable.
    package let timeout: Double
    /// Where the layer's tiles are kept beyond memory; nil: nowhere.
    package let namespace: StoreNamespace?
    /// The layer is never asked: only what the cache holds is served, however old.
    package let isOffline: Bool
    /// A failure holds the next question for the tile back for a while. False where tiles are made of others, which are
    /// held back themselves.
    package let backsOff: Bool

    /// Gives the tiles.
    package let layer: any TileLayer

    /// What the loader may rely on when it calls the layer.
    package enum Execution: Sendable {
        /// Nothing: the layer's code runs on Swift's own threads, and an answer may never come.
        case unknown
        /// It only waits, never blocks or computes, so it may run on the reactor that asks.
        case nonblocking
        /// As `nonblocking`, and it always answers, by a deadline of its own.
        case prompt
    }

    package init(
        number: LayerNumber, name: String, layer: any TileLayer, execution: Execution, generation: Generation,
        freshness: FreshnessPolicy, timeout: Double, namespace: StoreNamespace? = nil, isOffline: Bool = false,
        backsOff: Bool = true
    ) {
        self.number = number.value
        ownNumber = number
        self.name = name
        self.execution = execution
        self.generation = generation
        self.freshness = freshness
        self.timeout = timeout
        self.namespace = namespace
        self.isOffline = isOffline
        self.backsOff = backsOff
        self.layer = layer
    }

    /// Whether the layer would still take the tile that is held of it.
    func accepts(_ held: CachedTile) -> Bool {
        if case .tile(let entry) = held.content { layer.accepts(entry.tile) } else { true }
    }

    /// What `layer` makes of this source's tiles: kept under the keys of one of the variants, in memory alone, for as long
    /// as what it is made of, and cleared with it. `timeout`: as of `init`.
    package func derived(by layer: any TileLayer, timeout: Double) -> CachedLayer {
        CachedLayer(
            number: ownNumber, name: name, layer: layer, execution: .nonblocking, generation: generation,
            freshness: .inherited, timeout: timeout, backsOff: false)
    }

    /// Whether `answer` is as good as ever, where its task was cancelled meanwhile. What is made of others may lack some of them.
    func isWhole(_ answer: SourceAnswer) -> Bool {
        if case .result(.unavailable, _) = answer { false } else { backsOff }
    }

    /// The most seconds to wait for another node's fetch of a tile: twice what the layer's fetches take at their 95th percentile, and
    /// at least the time that messages between nodes take; 2 s if too little is known of the layer. Half of `timeout` is left for a
    /// fetch of this node's own.
    var longestWaitForOthers: Double {
        min(ownNumber.times.recent95th.map { max(2 * $0, 0.2) } ?? 2, timeout / 2)
    }

    /// Where the tile of `key` is kept beyond memory.
    func storeKey(_ key: TileKey) -> StoreKey? { namespace?.key(key) }
}
