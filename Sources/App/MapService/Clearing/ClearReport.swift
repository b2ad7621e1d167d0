import Fleet
import TileCache

/// The number of tiles and bytes of one layer that a clear has removed or made stale, in total and in each cache tier.
package struct ClearReport: Sendable {
    package let layer: String
    package let cleared: TileLoader.Cleared
    /// Number of nodes in the fleet, and number of nodes that have received the clear. Nil if no node had to be told.
    package var fleet: FleetReach?

    /// Number of cleared tiles: the largest number of a tier, because a tile can be in several tiers.
    package var entries: Int { cleared.tiers.map(\.change.usage.entries).reduce(cleared.memory.entries, max) }
    /// Bytes of the cleared tiles in all tiers together.
    package var bytes: Int { cleared.tiers.map(\.change.usage.bytes).reduce(cleared.memory.bytes, +) }

    /// True if the clear survives a restart.
    package var isDurable: Bool { cleared.tiers.allSatisfy(\.change.isDurable) }
}

extension [ClearReport] {
    /// Returns these reports with the reach of the clear in the fleet.
    func with(_ fleet: FleetReach) -> [ClearReport] {
        map { ClearReport(layer: $0.layer, cleared: $0.cleared, fleet: fleet) }
    }
}
