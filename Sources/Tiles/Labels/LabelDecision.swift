import Foundation
import MapGeometry

/// Chooses the labels of one zoom and their places. The labels of highest priority come first. A label without a free
/// place is left out.
struct LabelDecision {
    private let set: LabelSet
    /// Points a side of the world.
    private let side: Double

    /// Distance between texts, with their halos, in points on each side. It covers the rounding of heights to pixels.
    static let margin = 2.0
    /// Distance from the edge of a symbol to its text in points.
    static let gap = 3.0

    init(_ set: LabelSet, zoom: Int) {
        self.set = set
        side = Double(256 << zoom)
    }

    func placed() -> PlacedLabels {
        var grid = LabelGrid(side: side, textSize: set.size)
        var items: [PlacedLabels.Item] = []
        for (index, label) in set.labels.enumerated() {
            let block = set.blocks[index]
            guard !block.lines.isEmpty else { continue }
            var symbol: LabelBox?
            if case .beside(let point, let reach) = label.place, reach > 0 {
                let box = LabelBox(left: -reach, top: -reach, right: reach, bottom: reach)
                    .moved(point.x * side, point.y * side)
                // Leaves the label out if another text covers its symbol.
                guard grid.isFree([box]) else { continue }
                symbol = box
            }
            let free = choices(of: index).lazy.filter { isInWorld($0) && grid.isFree($0.boxes) }
            // Prefers a place that does not cross the antimeridian, because a map that ends there cuts the text off.
            guard let choice = free.first(where: isWhole) ?? free.first else { continue }
            choice.boxes.forEach { grid.take($0) }
            if let symbol { grid.take(symbol) }
            items.append(item(index, choice))
        }
        return PlacedLabels(items, side: side)
    }

    /// A place for a text. The boxes are in points of the world.
    private struct Choice {
        let anchor: WorldPoint
        let spot: PlacedLabels.Spot
        let boxes: [LabelBox]

        var box: LabelBox { boxes.dropFirst().reduce(boxes[0]) { $0.union($1) } }
    }

    private func item(_ label: Int, _ choice: Choice) -> PlacedLabels.Item {
        PlacedLabels.Item(
            label: label, anchor: choice.anchor, spot: choice.spot,
            box: choice.box.moved(-choice.anchor.x * side, -choice.anchor.y * side))
    }

    private func isInWorld(_ choice: Choice) -> Bool {
        let box = choice.box
        return box.top >= 0 && box.bottom <= side && box.right - box.left <= side
    }

    private func isWhole(_ choice: Choice) -> Bool {
        let box = choice.box
        return box.left >= 0 && box.right <= side
    }

    private func choices(of index: Int) -> [Choice] {
        let block = set.blocks[index]
        switch set.labels[index].place {
        case .beside(_, let reach):
            let spots: [PlacedLabels.Spot] = reach > 0 ? [.right, .left, .above, .below] : [.middle]
            return spots.map { upright(index, $0) }
        case .on(_, let room): return block.width * set.size <= room * side ? [upright(index, .middle)] : []
        case .along(let range): return along(set.vertices[range], block)
        }
    }

    private func upright(_ index: Int, _ spot: PlacedLabels.Spot) -> Choice {
        let item = set.item(index, spot)
        return Choice(
            anchor: item.anchor, spot: spot, boxes: [item.box.moved(item.anchor.x * side, item.anchor.y * side)])
    }

    // MARK: Lines

    /// The places along a line, in the order in which a text tries them, as fractions of the length that the text
    /// leaves free.
    private static let tries = [0.5, 0.3, 0.7, 0.1, 0.9, 0.4, 0.6, 0.2, 0.8, 0, 1]
    /// Maximum distance of the line from a text's middle line, in sizes of the font.
    private static let bend = 0.3

    /// Returns the straight parts of a line that are long enough for the text.
    private func along(_ line: ArraySlice<WorldPoint>, _ block: TextBlock) -> [Choice] {
        guard line.count > 1 else { return [] }
        let points = line.map { (x: $0.x * side, y: $0.y * side) }
        var lengths = [0.0]
        for (one, other) in zip(points, points.dropFirst()) {
            lengths.append(lengths[lengths.count - 1] + hypot(other.x - one.x, other.y - one.y))
        }
        let needed = block.width * set.size + set.size
        let free = lengths[lengths.count - 1] - needed
        guard free >= 0 else { return [] }
        func point(at length: Double) -> (x: Double, y: Double, next: Int) {
            var (low, high) = (1, points.count - 1)
            while low < high {
                let middle = (low + high) / 2
                if lengths[middle] < length { low = middle + 1 } else { high = middle }
            }
            let step = lengths[low] - lengths[low - 1]
            let share = step > 0 ? min(max((length - lengths[low - 1]) / step, 0), 1) : 0
            let (one, other) = (points[low - 1], points[low])
            return (one.x + (other.x - one.x) * share, one.y + (other.y - one.y) * share, low)
        }
        return Self.tries.compactMap { share in
            let (start, end) = (point(at: free * share), point(at: free * share + needed))
            let (dx, dy) = (end.x - start.x, end.y - start.y)
            let length = hypot(dx, dy)
            guard length >= needed * 0.95 else { return nil }
            // Compares the distance of each vertex from the straight line between the ends.
            let isStraight = points[start.next..<max(end.next, start.next)].allSatisfy { vertex in
                abs((vertex.x - start.x) * dy - (vertex.y - start.y) * dx) / length <= Self.bend * set.size
            }
            guard isStraight else { return nil }
            // A line across the antimeridian has an x beyond the world.
            let x = start.x + dx / 2
            let inWorld = x - (x / side).rounded(.down) * side
            return turned(x: inWorld, y: start.y + dy / 2, angle: Self.readable(atan2(dy, dx)), block)
        }
    }

    /// Returns the direction or its opposite, so that the text is not upside down.
    private static func readable(_ angle: Double) -> Double {
        angle > .pi / 2 ? angle - .pi : angle <= -.pi / 2 ? angle + .pi : angle
    }

    /// Returns a choice with a chain of boxes along the text.
    private func turned(x: Double, y: Double, angle: Double, _ block: TextBlock) -> Choice {
        let (length, height) = (block.width * set.size, block.height(size: set.size) + 2 * Self.margin)
        let (across, down) = (abs(cos(angle)), abs(sin(angle)))
        let count = max(Int((length / height).rounded(.up)), 1)
        let part = length / Double(count) + (count == 1 ? 2 * Self.margin : 0)
        let (reachX, reachY) = ((part * across + height * down) / 2, (part * down + height * across) / 2)
        let boxes = (0..<count).map { index in
            let place = (Double(index) + 0.5) / Double(count) * length - length / 2
            return LabelBox(left: -reachX, top: -reachY, right: reachX, bottom: reachY)
                .moved(x + place * cos(angle), y + place * sin(angle))
        }
        return Choice(anchor: WorldPoint(x: x / side, y: y / side), spot: .turned(angle), boxes: boxes)
    }
}
