import MapGeometry

/// What this node knows of the clears and purges of layers, as far as tiles in Redis depend on it.
package protocol FleetStamps: Sendable {
    /// With what a tile of `layer` that is fetched now is marked: the last purge that this node knows. Nil: what this node knows of the
    /// layer has no number in the fleet yet, or is too old; then none of its tiles is taken from Redis or put there.
    func stamp(of layer: String) -> StreamID?

    /// What is left of a tile of `layer` that is marked with `stamp`.
    func verdict(on coordinate: TileCoordinate, of layer: String, stamp: StreamID) -> FleetVerdict
}

/// What purges have left of a tile.
package enum FleetVerdict: Sendable, Equatable {
    case valid
    /// It must be revalidated.
    case stale
    /// It is purged, or may be.
    case gone
}
