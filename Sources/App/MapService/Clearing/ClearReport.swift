import Fleet
import TileCache

/// What a clear did to one layer: in all, and by tier.
package struct ClearReport: Sendable {
    package let layer: String
    package let cleared: TileLoader.Cleared
    /// How many servers there are, and how many have it; nil where the service serves alone.
    package var fleet: FleetReach?

    /// Tiles. What lies in memory lies in the other tiers too, so the tier with most of them has them all.
    package var entries: Int { cleared.tiers.map(\.change.usage.entries).reduce(cleared.memory.entries, max) }
    /// Of all tiers together.
    package var bytes: Int { cleared.tiers.map(\.change.usage.bytes).reduce(cleared.memory.bytes, +) }

    /// It outlives a restart.
    package var isDurable: Bool { cleared.tiers.allSatisfy(\.change.isDurable) }
}

extension [ClearReport] {
    /// The same, of a fleet.
    func with(_ fleet: FleetReach) -> [ClearReport] {
        map { ClearReport(layer: $0.layer, cleared: $0.cleared, fleet: fleet) }
    }
}
