import Bytes
import MapGeometry
import TileCache

/// Describes which clears and purges of one layer a node has applied, or Redis knows. Nodes exchange these numbers.
///
/// `joined(with:)` takes the greater value of each part. All nodes therefore reach the same number, in any order of the
/// exchanges.
package struct FleetNumber: Sendable, Hashable {
    /// The layer's generation. The cache stores the layer's tiles under this generation.
    package var generation: UInt32
    /// The id of the last clear's message, or of a purge after which all nodes removed the layer's tiles. A node that
    /// has this clear or a later one holds no tile from before the clear.
    package var clear = StreamID.zero
    /// The id of the last purge's message.
    package var purge = StreamID.zero

    /// The number of a layer about which nothing is known.
    package static let none = FleetNumber(generation: 0)

    package func joined(with other: FleetNumber) -> FleetNumber {
        FleetNumber(
            generation: max(generation, other.generation), clear: max(clear, other.clear),
            purge: max(purge, other.purge))
    }
}

/// The upper limit for generations and ids, which is ten years from now. The fleet ignores greater values. A wrong
/// value in Redis could otherwise be greater than the numbers of all later clears, and the layer could never be cleared
/// again.
package enum FleetHorizon {
    /// Ten years in seconds.
    package static let seconds: UInt64 = 315_360_000

    /// Reports whether the generation is at most the limit. `now`: seconds since 1970.
    package static func isSane(_ generation: UInt32, now: Int) -> Bool {
        UInt64(generation) <= UInt64(clamping: now) + seconds
    }

    package static func isSane(_ id: StreamID, now: Int) -> Bool {
        id.milliseconds / 1_000 <= UInt64(clamping: now) + seconds
    }
}

/// The id that Redis gives to an entry of a stream. An id has a time in milliseconds, normally of Redis' clock, and a
/// sequence number for entries of the same millisecond. A later entry has a greater id.
package struct StreamID: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970, below 2^53. Lua scripts use doubles, which are exact up to this limit.
    package let milliseconds: UInt64
    package let sequence: UInt64

    /// An id before every entry. It stands for "none".
    package static let zero = StreamID(milliseconds: 0, sequence: 0)

    private static let end: UInt64 = 1 << 53

    package init(milliseconds: UInt64, sequence: UInt64) {
        self.milliseconds = min(milliseconds, Self.end - 1)
        self.sequence = min(sequence, Self.end - 1)
    }

    /// Parses `milliseconds-sequence`, two decimal numbers below 2^53 without leading zeros. Returns nil for other
    /// texts.
    package init?(_ text: some StringProtocol) {
        let utf8 = Array(text.utf8)
        guard let dash = utf8.firstIndex(of: UInt8(ascii: "-")), let milliseconds = Self.number(utf8[..<dash]),
            let sequence = Self.number(utf8[(dash + 1)...])
        else { return nil }
        self.init(milliseconds: milliseconds, sequence: sequence)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        guard digits.count == 1 || digits.first != ASCII.zero, let number = ASCII.decimal(digits),
            let number = UInt64(exactly: number), number < end
        else { return nil }
        return number
    }

    package static func < (left: StreamID, right: StreamID) -> Bool {
        (left.milliseconds, left.sequence) < (right.milliseconds, right.sequence)
    }
}

extension StreamID: CustomStringConvertible {
    package var description: String { "\(milliseconds)-\(sequence)" }
}

/// Remembers the last purges of a layer. A node uses the list to decide whether a tile from Redis is older than a purge
/// of this tile.
package struct PurgeList: Sendable {
    /// Maximum number of purges in the list.
    package static let most = 256

    private struct Purge: Sendable {
        let id: StreamID
        let area: TileArea
        let isSoft: Bool
    }

    /// The purges in the order in which this node learned of them.
    private var purges: [Purge] = []
    /// The list may lack purges up to this id, so their areas are unknown. A tile with an older stamp counts as gone. A
    /// clear sets the horizon too, because a clear covers all tiles.
    package private(set) var horizon: StreamID

    package init(horizon: StreamID = .zero) {
        self.horizon = horizon
    }

    package func contains(_ id: StreamID) -> Bool { purges.contains { $0.id == id } }

    package mutating func add(_ id: StreamID, _ area: TileArea, isSoft: Bool) {
        guard !contains(id) else { return }
        purges.append(Purge(id: id, area: area, isSoft: isSoft))
        if purges.count > Self.most { horizon = max(horizon, purges.removeFirst().id) }
    }

    /// Removes the purges up to `id`. Called after a clear, or if a node has missed purges up to `id`.
    package mutating func forget(upTo id: StreamID) {
        guard id > horizon else { return }
        horizon = id
        purges.removeAll { $0.id <= id }
    }

    /// Judges a tile with `stamp`: the node that fetched the tile had all messages up to `stamp` when the fetch began.
    package func verdict(on coordinate: TileCoordinate, stamp: StreamID) -> FleetVerdict {
        guard stamp >= horizon else { return .gone }
        var verdict = FleetVerdict.valid
        for purge in purges where purge.id > stamp && purge.area.contains(coordinate) {
            guard purge.isSoft else { return .gone }
            verdict = .stale
        }
        return verdict
    }
}
