import MapGeometry

/// The clears and purges that this node knows, for judging tiles in Redis.
package protocol FleetStamps: Sendable {
    /// Returns the stamp for a tile of `layer` whose fetch begins now: the id up to which this node has applied all
    /// clears and purges of the layer. Nil if this node does not know the layer's number in Redis, or if a clear or
    /// purge of the layer has no number yet. Then no tile of the layer is read from Redis or put there.
    func stamp(of layer: String) -> StreamID?

    /// Judges a tile of `layer` with `stamp`.
    func verdict(on coordinate: TileCoordinate, of layer: String, stamp: StreamID) -> FleetVerdict
}

/// The effect of known clears and purges on a tile.
package enum FleetVerdict: Sendable, Equatable {
    case valid
    /// A soft purge covers the tile: it counts as stale.
    case stale
    /// The tile is purged, or may be.
    case gone
}
