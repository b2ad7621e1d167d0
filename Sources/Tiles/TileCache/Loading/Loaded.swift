import Tiles

/// What became of a request for a tile that was not fresh in memory.
package enum Loaded: Sendable {
    /// The tile, or that there is none, as the layer says now.
    case found(CachedTile, Fill)
    /// The tile, which a tier holds, still fresh.
    case present(CachedTile, Tier)
    /// The tile, which a tier holds and which is stale.
    case stale(CachedTile, Staleness)
    /// Not now; ask again in `retryAfter` seconds.
    case unavailable(Unavailability, retryAfter: Int)

    /// Whether there is no tile, and nobody was asked for one.
    package var isUnasked: Bool {
        if case .unavailable(let reason, _) = self { reason.isUnasked } else { false }
    }

    /// Whether the tiers were given it to keep, or have it.
    var isKept: Bool {
        switch self {
        case .found(_, let fill): !fill.mustNotBeKept
        case .present: true
        case .stale, .unavailable: false
        }
    }

    /// Where a tile lay.
    package struct Tier: Sendable, Equatable {
        /// As `TileStore.name`.
        package let name: StaticString

        package static let memory = Tier(name: "memory")

        package static func == (left: Tier, right: Tier) -> Bool { left.name.description == right.name.description }
    }

    /// Why a stale tile is good enough.
    package enum Staleness: Sendable {
        /// A new one is being fetched behind the answer.
        case revalidating(Tier)
        /// No new one could be had.
        case failed(Unavailability)
        /// No new one was asked for, because that failed a moment ago.
        case backingOff
        /// The layer is never asked.
        case offline
    }

    /// How a tile came to be.
    package struct Fill: Sendable {
        /// It was made for another request, which this one joined.
        package var collapsed = false
        package var stored = false
        /// A stale tile was held, and the layer was asked whether it is still good.
        package var wasStale = false
        /// The layer said that it is (304).
        package var isRevalidated = false
        /// The layer says that it must not be kept, or a clear has overtaken it.
        package var mustNotBeKept = false
        /// A tier behind memory should have kept it and could not.
        package var skippedStore = false
        /// Microseconds from the question to the layer to its answer.
        package var microseconds = 0

        package init(wasStale: Bool = false, microseconds: Int = 0) {
            (self.wasStale, self.microseconds) = (wasStale, microseconds)
        }
    }
}
