import MapGeometry
import Raster

/// The labels of a set that one zoom shows, sorted by place, so that a tile finds its labels quickly. A label takes 16
/// bytes, and a label along a line at least 80.
package struct PlacedLabels: Sendable {
    /// The place of a text, relative to the anchor of its label.
    package enum Spot: Sendable, Equatable {
        case right, left, above, below
        /// The middle of the text is on the anchor, or straight below it. The number is the distance to the south, as a
        /// multiple of the font size: 0 is on the anchor, and a negative number is to the north.
        case middle(Double)
        /// The text lies along a curve, which is as long as the text.
        case along(LabelCurve)

        /// The spots beside a symbol, in the order in which a label tries them.
        package static let beside: [Spot] = [.right, .left, .above, .below]
        /// The spots inside an area, in the order in which a label tries them.
        static let shifted: [Spot] = [.middle(0), .middle(1.3), .middle(-1.3), .middle(2.4), .middle(-2.4)]
        /// All spots without a curve. `Stored` refers to a spot by its index in this array.
        fileprivate static let upright = beside + shifted
    }

    package struct Item: Sendable, Equatable {
        /// The index of the label in its set.
        package let label: Int
        /// The middle of the label's symbol. Without a symbol, the point to which the text belongs, or the middle
        /// between the ends of its curve.
        package let anchor: WorldPoint
        package let spot: Spot
        /// The box around the text, in points from the anchor.
        package let box: LabelBox
    }

    /// An item in few bytes. `spot` is an index in `Spot.upright`. If `spot` is `Spot.upright.count` or more, the label
    /// lies along a line, and the difference is an index in `curved`.
    private struct Stored: Sendable {
        let label: UInt32
        let spot: UInt32
    }

    /// A label along a line in few bytes. Its curve has the `count` elements of `points` from the index `start` on.
    private struct Curved: Sendable {
        let anchor: WorldPoint
        let length: Double
        let box: SIMD4<Float>
        let start: Int32
        let count: Int32
    }

    private var keys: [UInt64] = []
    private var stored: [Stored] = []
    private var curved: [Curved] = []
    /// The points of all curves one after the other, in points from the anchors of their labels.
    private var points: [SIMD2<Float>] = []
    private let zoom: Int
    /// Side of the world in points.
    let side: Double
    /// The greatest distance from an anchor to an edge of its box, over all labels, in points.
    private let reach: Double

    private static let cell = 256.0

    init(_ items: [Item], zoom: Int) {
        self.zoom = zoom
        let side = Double(256 << zoom)
        self.side = side
        reach = items.reduce(0) { max($0, -$1.box.left, -$1.box.top, $1.box.right, $1.box.bottom) }
        let keyed = items.map { (key: Self.key($0.anchor, side), item: $0) }.sorted {
            ($0.key, $0.item.label) < ($1.key, $1.item.label)
        }
        for (key, item) in keyed {
            let spot = Spot.upright.firstIndex(of: item.spot) ?? Spot.upright.count + curved.count
            if case .along(let curve) = item.spot { append(curve, of: item) }
            keys.append(key)
            stored.append(Stored(label: UInt32(clamping: item.label), spot: UInt32(clamping: spot)))
        }
    }

    private mutating func append(_ curve: LabelCurve, of item: Item) {
        let box = item.box
        curved.append(
            Curved(
                anchor: item.anchor, length: curve.length,
                box: SIMD4(Float(box.left), Float(box.top), Float(box.right), Float(box.bottom)),
                start: Int32(clamping: points.count), count: Int32(clamping: curve.points.count)))
        points += curve.points.map { SIMD2(Float($0.x), Float($0.y)) }
    }

    private static func key(_ anchor: WorldPoint, _ side: Double) -> UInt64 {
        key(row: Int(anchor.y * side / cell), column: Int(anchor.x * side / cell))
    }

    private static func key(row: Int, column: Int) -> UInt64 {
        UInt64(clamping: row) << 32 | UInt64(clamping: column)
    }

    /// Bytes in memory of all labels and curves.
    var size: Int {
        stored.count * (MemoryLayout<Stored>.stride + MemoryLayout<UInt64>.stride)
            + curved.count * MemoryLayout<Curved>.stride + points.count * MemoryLayout<SIMD2<Float>>.stride
    }

    /// Returns all items in the order of their cells. `set` must be the set whose labels were placed.
    func items(of set: LabelSet) -> [Item] { stored.indices.map { item($0, of: set) } }

    private func item(_ index: Int, of set: LabelSet) -> Item {
        let (label, spot) = (Int(stored[index].label), Int(stored[index].spot))
        guard spot < Spot.upright.count else {
            let found = curved[spot - Spot.upright.count]
            let range = Int(found.start)..<Int(found.start + found.count)
            let curve = LabelCurve(
                points: points[range].map { Point(x: Double($0.x), y: Double($0.y)) }, length: found.length)
            let box = LabelBox(
                left: Double(found.box.x), top: Double(found.box.y), right: Double(found.box.z),
                bottom: Double(found.box.w))
            return Item(label: label, anchor: found.anchor, spot: .along(curve), box: box)
        }
        return set.item(label, Spot.upright[spot], zoom: zoom)
    }

    /// Calls `body` with each item whose box overlaps `area`, a box in points of the world. The world repeats in x, so
    /// an item may appear several times: `turn` is the number of worlds by which it is moved to the east. `set` must be
    /// the set whose labels were placed.
    func forEach(of set: LabelSet, near area: LabelBox, _ body: (Item, _ turn: Int) -> Void) {
        let (top, bottom) = (row(area.top - reach), row(area.bottom + reach))
        guard bottom >= 0 else { return }
        for row in max(top, 0)...bottom {
            for turn in -1...1 {
                let shift = Double(turn) * side
                let (first, last) = (self.row(area.left - reach - shift), self.row(area.right + reach - shift))
                guard last >= 0 else { continue }
                var index = lowerBound(Self.key(row: row, column: max(first, 0)))
                let end = Self.key(row: row, column: min(last, self.row(side) - 1))
                while index < keys.count, keys[index] <= end {
                    let item = item(index, of: set)
                    let box = item.box.moved(item.anchor.x * side + shift, item.anchor.y * side)
                    if box.meets(area) { body(item, turn) }
                    index += 1
                }
            }
        }
    }

    /// Returns the row of cells at a y, or the column at an x. `place` is in points of the world.
    private func row(_ place: Double) -> Int { Int((place / Self.cell).rounded(.down)) }

    private func lowerBound(_ key: UInt64) -> Int {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension PlacedLabels.Spot {
    /// The distance from the anchor to the middle of a centred text, towards the south, as a multiple of the font size.
    /// 0 for all other spots.
    var shift: Double { if case .middle(let shift) = self { shift } else { 0 } }
}
