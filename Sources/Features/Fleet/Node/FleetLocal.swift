import TileCache

/// The functions of this server that the fleet calls, for example to clear a layer after a message from another node.
package protocol FleetLocal: Sendable {
    /// Returns the layers and maps that are served. `isProvisional`: the generation was chosen without knowledge of the
    /// fleet's generation.
    func layers() -> [String: (generation: UInt32, isProvisional: Bool)]

    /// Clears the layers and raises their generations at least to `generations`. If `isClear` is false, a layer that
    /// has reached its generation already is not cleared.
    func raise(_ generations: [String: UInt32], isClear: Bool) async

    /// Clears the layers. Returns the new generations of the layers that are still served.
    func advance(_ layers: [String]) async -> [String: UInt32]

    /// Removes tiles of the layer, or makes them stale.
    func purge(_ layer: String, _ area: TileArea, isSoft: Bool) async

    /// Sets the maximum age of tiles from upstreams, in seconds. The server asks the upstream before it uses an older
    /// tile. Nil: tiles are used for their normal lifetimes. The node calls this in each round.
    func doubt(olderThan seconds: Double?)

    /// Returns the facts that all nodes must have in common, as digests with `secret`. Nil if the service has ended.
    func facts(secret: String) -> FleetFacts?

    /// Divides the request limits of upstreams by the number of servers.
    func share(among servers: Int)
}

/// An event that the fleet writes to the log, for example that this node has missed purges.
package enum FleetEvent: Sendable, Equatable {
    /// This node has missed purges of the layer, so it removes all tiles of the layer.
    case missed(layer: String)
    /// Another node has missed purges of the layer, so all nodes remove the layer's tiles.
    case forked(layer: String)
    /// The lease has ended: this node does not trust its tiles, because no round was complete for `seconds`. With
    /// `isOver` the node trusts them again.
    case lease(isOver: Bool, seconds: Int)
    /// Redis answers, but the answers are of no use for this reason, for example an error. Nil: Redis works again.
    case refused(why: String?)
    /// Another process has the name of this node, or no other process has it any more.
    case sameName(isOver: Bool)
    /// The state file cannot be written.
    case unwritten(path: String, code: Int32)
}
