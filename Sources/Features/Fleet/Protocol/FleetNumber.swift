import Bytes
import MapGeometry
import TileCache

/// The clears and purges of one layer that a node, or Redis, knows. Two numbers are put together by the greater of each
/// part: in whatever order nodes meet, and however often, all come to the same.
package struct FleetNumber: Sendable, Hashable {
    /// Of the layer: what its tiles are kept under.
    package var generation: UInt32
    /// The message of the last clear. Who has it, or a later one, holds nothing of before it.
    package var clear = StreamID.zero
    /// The message of the last purge.
    package var purge = StreamID.zero

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

/// The id of an entry of a Redis stream: its time by Redis' clock, and a number that tells entries of one millisecond apart. A
/// later entry has a greater one.
package struct StreamID: Sendable, Hashable, Comparable {
    /// Since 1970. Below 2^53, so that scripts, whose numbers are doubles, count as exactly as this does.
    package let milliseconds: UInt64
    package let sequence: UInt64

    /// Before every entry: "none".
    package static let zero = StreamID(milliseconds: 0, sequence: 0)

    private static let end: UInt64 = 1 << 53

    package init(milliseconds: UInt64, sequence: UInt64) {
        self.milliseconds = min(milliseconds, Self.end - 1)
        self.sequence = min(sequence, Self.end - 1)
    }

    /// `milliseconds-sequence`, both in decimal digits without leading zeros; nil of anything else.
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

/// The last purges of a layer, which say whether a tile from before them, such as one out of Redis, may be used.
package struct PurgeList: Sendable {
    /// How many are remembered.
    package static let most = 256

    private struct Purge: Sendable {
        let id: StreamID
        let area: TileArea
        let isSoft: Bool
    }

    /// In the order in which they became known here.
    private var purges: [Purge] = []
    /// Of what came up to here it is not known what it covers; that of a clear is everything.
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

    /// A clear took everything of before `id`, or purges up to it were missed.
    package mutating func forget(upTo id: StreamID) {
        guard id > horizon else { return }
        horizon = id
        purges.removeAll { $0.id <= id }
    }

    /// Judges a tile whose fetch began when its node had all messages up to `stamp`.
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
