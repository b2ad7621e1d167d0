import MapGeometry
import Tiles

/// A layer together with everything that the loader needs to request its tiles and to cache them.
///
/// This is a class because it owns the layer's number: no other layer gets that number while the object exists.
package final class CachedLayer: Sendable {
    /// The number of the layer.
    package let number: UInt16
    /// The owner of `number`. Pass it to another source of the same layer, so that the tiles in the cache stay valid.
    package let ownNumber: LayerNumber
    /// The id of the layer in responses and in the log.
    package let name: String
    package let execution: Execution
    package let generation: Generation
    package let freshness: FreshnessPolicy
    /// Seconds after which a layer that has not answered counts as unavailable.
    package let timeout: Double
    /// The namespace of the layer's tiles in the tiers behind memory. Nil if they do not keep the layer.
    package let namespace: StoreNamespace?
    /// True if the layer is never asked. Only tiles in the cache are served, fresh or stale.
    package let isOffline: Bool
    /// True if a failed fetch delays the next fetch of the same tile. False for tiles that are made from other tiles,
    /// because the fetches of those tiles are delayed already.
    package let backsOff: Bool

    /// The layer that returns the tiles.
    package let layer: any TileLayer

    /// The promises of a layer about its execution, from weakest to strongest.
    package enum Execution: Sendable {
        /// No promise: the layer's code runs on Swift's own threads, and it may never answer.
        case unknown
        /// The layer waits but never blocks and computes little, so it may run on the event loop that asks.
        case nonblocking
        /// Like `nonblocking`, and the layer always answers by its own deadline.
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

    /// Reports whether the layer still accepts a tile that the cache holds.
    func accepts(_ held: CachedTile) -> Bool {
        if case .tile(let entry) = held.content { layer.accepts(entry.tile) } else { true }
    }

    /// Returns the source of renditions of this layer, which `layer` makes. Renditions have keys of their own variants
    /// and are kept only in memory. A rendition inherits the lifetime of the tile that it is made from, and a clear of
    /// the layer removes both. `timeout` is in seconds, as in `init`.
    package func derived(by layer: any TileLayer, timeout: Double) -> CachedLayer {
        CachedLayer(
            number: ownNumber, name: name, layer: layer, execution: .nonblocking, generation: generation,
            freshness: .inherited, timeout: timeout, backsOff: false)
    }

    /// Returns a source for a second form of this layer's tiles, such as tiles without labels. `layer` makes these
    /// tiles itself, and not from the cached tiles of this layer. They have keys of their own variant and are kept only
    /// in memory. All other settings are those of this layer.
    package func alternative(by layer: any TileLayer) -> CachedLayer {
        CachedLayer(
            number: ownNumber, name: name, layer: layer, execution: execution, generation: generation,
            freshness: freshness, timeout: timeout, isOffline: isOffline, backsOff: backsOff)
    }

    /// Reports whether `answer` is complete although its task was cancelled. A tile that is made from other tiles may
    /// lack some of them then.
    func isWhole(_ answer: SourceAnswer) -> Bool {
        if case .result(.unavailable, _) = answer { false } else { backsOff }
    }

    /// Maximum seconds to wait for the fetch of another node. This is twice the 95th percentile of the layer's fetches,
    /// at least 0.2 s for messages between nodes, and 2 s if the percentile is unknown. At most half of `timeout`, so
    /// that time is left for a fetch by this node.
    var longestWaitForOthers: Double {
        min(ownNumber.times.recent95th.map { max(2 * $0, 0.2) } ?? 2, timeout / 2)
    }

    /// Returns the key of the tile in the tiers behind memory. Nil if they do not keep the layer.
    func storeKey(_ key: TileKey) -> StoreKey? { namespace?.key(key) }
}
