/// What a node, or Redis, knows of the clears and purges of one layer. Two of them are put together by the greater of each
/// part: in whatever order nodes meet, and however often, all come to the same.
package struct FleetNumber: Sendable, Hashable {
    /// Of the layer: what its tiles are kept under.
    package var generation: UInt32
    /// The message of the last clear. Who has it, or a later one, holds nothing of before it.
    package var clear: StreamID
    /// The message of the last purge.
    package var purge: StreamID

    package init(generation: UInt32, clear: StreamID = .zero, purge: StreamID = .zero) {
        self.generation = generation
        self.clear = clear
        self.purge = purge
    }

    /// Nothing is known.
    package static let none = FleetNumber(generation: 0)

    package func joined(with other: FleetNumber) -> FleetNumber {
        FleetNumber(
            generation: max(generation, other.generation), clear: max(clear, other.clear),
            purge: max(purge, other.purge))
    }
}

/// Numbers that lie: a generation, or an id, of more than ten years from now. Whoever could write one into Redis would have a layer
/// cleared no more.
package enum FleetHorizon {
    /// Ten years.
    package static let seconds: UInt64 = 315_360_000

    /// `now`: seconds since 1970.
    package static func isSane(_ generation: UInt32, now: Int) -> Bool {
        UInt64(generation) <= UInt64(clamping: now) + seconds
    }

    package static func isSane(_ id: StreamID, now: Int) -> Bool {
        id.milliseconds / 1_000 <= UInt64(clamping: now) + seconds
    }
}
