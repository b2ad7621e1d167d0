import MapGeometry
import Text

/// The labels that are shown at one zoom, sorted for the question which of them are near a tile.
package struct PlacedLabels: Sendable, Equatable {
    /// The place of a text relative to its anchor.
    package enum Spot: Sendable, Equatable {
        case right, left, above, below
        /// Centred on the anchor.
        case middle
        /// Centred on the anchor, and turned clockwise by an angle in radians.
        case turned(Double)
    }

    package struct Item: Sendable, Equatable {
        /// The index of the label in its set.
        package let label: Int
        package let anchor: WorldPoint
        package let spot: Spot
        /// The box around the text in points from the anchor.
        package let box: LabelBox
    }

    /// The items by row and column of their cells.
    package let items: [Item]
    private let keys: [UInt64]
    /// Points a side of the world.
    let side: Double
    /// The distance from an anchor to the farthest edge of a box, in points.
    private let reach: Double

    private static let cell = 256.0

    init(_ items: [Item], side: Double) {
        let keyed = items.map { (key: Self.key($0.anchor, side), item: $0) }.sorted {
            ($0.key, $0.item.label) < ($1.key, $1.item.label)
        }
        self.items = keyed.map(\.item)
        keys = keyed.map(\.key)
        self.side = side
        reach = items.reduce(0) { max($0, -$1.box.left, -$1.box.top, $1.box.right, $1.box.bottom) }
    }

    private static func key(_ anchor: WorldPoint, _ side: Double) -> UInt64 {
        key(row: Int(anchor.y * side / cell), column: Int(anchor.x * side / cell))
    }

    private static func key(row: Int, column: Int) -> UInt64 {
        UInt64(clamping: row) << 32 | UInt64(clamping: column)
    }

    /// Number of bytes in memory.
    var size: Int { items.count * (MemoryLayout<Item>.stride + MemoryLayout<UInt64>.stride) }

    /// Calls `body` with each item whose box meets `area`, a part of the world in points, and with the number of worlds
    /// by which the item is moved to the east. The order of the calls depends on the items alone.
    func forEach(near area: LabelBox, _ body: (Item, _ turn: Int) -> Void) {
        let rows = Int(((area.top - reach) / Self.cell).rounded(.down))...Int(
            ((area.bottom + reach) / Self.cell).rounded(.down))
        for row in rows where row >= 0 {
            for turn in -1...1 {
                let shift = Double(turn) * side
                let first = Int(((area.left - reach - shift) / Self.cell).rounded(.down))
                let last = Int(((area.right + reach - shift) / Self.cell).rounded(.down))
                guard last >= 0 else { continue }
                var index = lowerBound(Self.key(row: row, column: max(first, 0)))
                let end = Self.key(row: row, column: last)
                while index < keys.count, keys[index] <= end {
                    let item = items[index]
                    let box = item.box.moved(item.anchor.x * side + shift, item.anchor.y * side)
                    if box.meets(area) { body(item, turn) }
                    index += 1
                }
            }
        }
    }

    private func lowerBound(_ key: UInt64) -> Int {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
