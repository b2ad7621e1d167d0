import Tiles

/// The result of looking for a tile in the tiers and asking its layer.
package enum Loaded: Sendable {
    /// The answer of the layer: a tile, or the knowledge that there is no tile. Also a fresh tile of a tier,
    /// if a clear ran while the tile was read.
    case found(CachedTile, Fill)
    /// A fresh tile from a tier.
    case present(CachedTile, Tier)
    /// A stale tile from a tier.
    case stale(CachedTile, Staleness)
    /// There is no tile at present. The client may ask again in `retryAfter` seconds.
    case unavailable(Unavailability, retryAfter: Int)

    /// True if there is no tile because the source was not asked.
    package var isUnasked: Bool {
        if case .unavailable(let reason, _) = self { reason.isUnasked } else { false }
    }

    /// True if the tiers may have the tile now: they already had it, or nothing forbids to keep it.
    var isKept: Bool {
        switch self {
        case .found(_, let fill): !fill.mustNotBeKept
        case .present: true
        case .stale, .unavailable: false
        }
    }

    /// The tier that held a tile.
    package struct Tier: Sendable, Equatable {
        /// The name of the tier, as in `TileStore.name`.
        package let name: StaticString

        package static let memory = Tier(name: "memory")

        package static func == (left: Tier, right: Tier) -> Bool { left.name.description == right.name.description }
    }

    /// The reason why a stale tile is served.
    package enum Staleness: Sendable {
        /// A new tile is being fetched while the client gets the stale one.
        case revalidating(Tier)
        /// The fetch of a new tile failed.
        case failed(Unavailability)
        /// No new tile was requested, because the last fetch failed a moment ago.
        case backingOff
        /// The layer is offline: it is never asked.
        case offline
    }

    /// Facts about the fetch that produced a tile, for example its duration. The server uses them for headers, logs and
    /// metrics, and to decide whether others may keep the tile.
    package struct Fill: Sendable {
        /// True if this request joined the fetch of another request.
        package var collapsed = false
        package var stored = false
        /// True if a stale tile was held when the layer was asked.
        package var wasStale = false
        /// True if the layer confirmed the stale tile (304).
        package var isRevalidated = false
        /// True if the layer forbids to keep the tile, or if a clear or a purge affected the tile during the fetch.
        package var mustNotBeKept = false
        /// True if a tier behind memory refused the tile.
        package var skippedStore = false
        /// Microseconds from the start of the fetch to the layer's answer. Includes looking into the other tiers.
        package var microseconds = 0

        package init(wasStale: Bool = false, microseconds: Int = 0) {
            (self.wasStale, self.microseconds) = (wasStale, microseconds)
        }
    }
}
