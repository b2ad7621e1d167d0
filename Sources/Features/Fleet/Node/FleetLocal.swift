import TileCache

/// The server of a node, as the fleet sees it.
package protocol FleetLocal: Sendable {
    /// The layers and maps that are served. `isProvisional`: the generation was chosen without knowing the fleet's.
    func layers() -> [String: (generation: UInt32, isProvisional: Bool)]

    /// Clears the layers, whose generations are from now on those of `generations`, or later ones; without `isClear` one that has come
    /// so far by itself stays as it is.
    func raise(_ generations: [String: UInt32], isClear: Bool) async

    /// Clears the layers; returns their generations from now on, of those that are still served.
    func advance(_ layers: [String]) async -> [String: UInt32]

    /// Removes tiles of the layer, or makes them stale.
    func purge(_ layer: String, _ area: TileArea, isSoft: Bool) async

    /// Tiles from other servers that are older than so many seconds are not used from now on before their source was asked; nil: tiles
    /// are used as their lives say. Called again and again while it lasts.
    func doubt(olderThan seconds: Double?)

    /// Facts that this node must have in common with the others, by digests with `secret`. Nil once there is no service.
    func facts(secret: String) -> FleetFacts?

    /// Sources are asked as by one of so many servers.
    func share(among servers: Int)
}

/// What the log is told.
package enum FleetEvent: Sendable, Equatable {
    /// Purges of the layer did not get here: all of it is gone.
    case missed(layer: String)
    /// Purges of the layer did not get to another node, and all drop it.
    case forked(layer: String)
    /// Whether tiles are trusted no more, since so many seconds went by without a word of the others.
    case lease(isOver: Bool, seconds: Int)
    /// Redis is there, and does not do what the fleet asks of it: by its own words; nil: it does again.
    case refused(why: String?)
    /// Another process goes by this node's name, or none does any more.
    case sameName(isOver: Bool)
    /// The state file cannot be written.
    case unwritten(path: String, code: Int32)
}
