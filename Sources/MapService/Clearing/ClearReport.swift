import TileCache

/// What a clear did to one layer: in all, and by tier.
package struct ClearReport: Sendable {
    package let layer: String
    package let cleared: TileLoader.Cleared

    /// Tiles. What lies in memory lies on disk too, so the tier with more of them has them all.
    package var entries: Int { max(cleared.memory.entries, cleared.disk?.usage.entries ?? 0) }
    /// Of both tiers together.
    package var bytes: Int { cleared.memory.bytes + (cleared.disk?.usage.bytes ?? 0) }

    /// It outlives a restart.
    package var isDurable: Bool { cleared.disk?.isDurable ?? true }
}
