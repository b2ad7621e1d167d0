import MapGeometry
import Raster

/// Decides which labels one zoom shows, and at which places. Labels take their places member by member, and in a member
/// by priority. A label that finds no free place is left out.
struct LabelDecision {
    private let members: [LabelGroup.Member]
    private let zoom: Int
    /// Side of the world in points.
    private let side: Double

    /// The margin of a text in points, on each of its sides. The margin has room for the halo, and for text heights
    /// that are rounded to whole pixels.
    static let margin = 2.0
    /// Distance in points from the edge of a symbol to its text.
    static let gap = 3.0

    init(_ members: [LabelGroup.Member], zoom: Int) {
        (self.members, self.zoom) = (members, zoom)
        side = Double(256 << zoom)
    }

    /// Maximum number of taken boxes at a zoom, and maximum bytes for the curves of its labels along lines. When a
    /// limit is reached, the remaining labels are left out, which are the least important ones.
    private static let (mostBoxes, mostCurveBytes) = (1_000_000, 16 << 20)

    /// Returns the shown labels of each member, in the order of the members.
    func placed() -> [PlacedLabels] {
        var curveBytes = 0
        let textSize = members.reduce(0) { max($0, $1.set.largestSize(zoom: zoom)) }
        var taken = LabelGrid(side: side, textSize: textSize)
        var landmarks = LabelGrid(side: side, textSize: textSize)
        for member in members where member.set.styles.contains(where: \.isLandmark) {
            for index in member.set.labels.indices where member.set.style(of: index).isLandmark {
                guard let symbol = symbol(of: index, in: member.set), member.shows(index, zoom: zoom) else { continue }
                landmarks.take(symbol)
            }
        }
        return members.map { member in
            var items: [PlacedLabels.Item] = []
            for index in member.set.labels.indices
            where member.shows(index, zoom: zoom) && taken.count < Self.mostBoxes && curveBytes < Self.mostCurveBytes {
                guard let item = placed(index, in: member, &taken, landmarks) else { continue }
                if case .along(let curve) = item.spot { curveBytes += 64 + 8 * curve.points.count }
                items.append(item)
            }
            return PlacedLabels(items, zoom: zoom)
        }
    }

    /// A place that a text can take. The boxes cover the text, in points of the world.
    private struct Choice {
        let anchor: WorldPoint
        let spot: PlacedLabels.Spot
        let boxes: [LabelBox]

        var box: LabelBox { boxes.dropFirst().reduce(boxes[0]) { $0.union($1) } }
    }

    private func placed(
        _ index: Int, in member: LabelGroup.Member, _ taken: inout LabelGrid, _ landmarks: LabelGrid
    ) -> PlacedLabels.Item? {
        let set = member.set
        let symbol = symbol(of: index, in: set)
        // Leaves the label out if another label's text or symbol covers its symbol.
        if let symbol, !taken.isFree([symbol]) { return nil }
        var best: (choice: Choice, rank: Int)?
        forEachChoice(of: index, in: set) { choice in
            guard isInWorld(choice.box), member.contains(choice.anchor), taken.isFree(choice.boxes) else {
                return false
            }
            // Prefers a place that does not cross the antimeridian, because a map that ends there cuts the text off.
            // Next, prefers a place that does not cover a landmark. A landmark's own text ignores landmarks.
            let isClear = set.style(of: index).isLandmark || landmarks.isFree(choice.boxes)
            let rank = (isWhole(choice.box) ? 0 : 2) + (isClear ? 0 : 1)
            if rank < best?.rank ?? .max { best = (choice, rank) }
            return rank == 0
        }
        guard let choice = best?.choice else { return nil }
        choice.boxes.forEach { taken.take($0) }
        if let symbol { taken.take(symbol) }
        return PlacedLabels.Item(
            label: index, anchor: choice.anchor, spot: choice.spot,
            box: choice.box.moved(-choice.anchor.x * side, -choice.anchor.y * side))
    }

    private func symbol(of index: Int, in set: LabelSet) -> LabelBox? {
        guard case .beside(let point, let reach, _) = set.labels[index].place, reach > 0 else { return nil }
        return LabelBox(around: point.x * side, point.y * side, reach: reach)
    }

    private func isInWorld(_ box: LabelBox) -> Bool {
        box.top >= 0 && box.bottom <= side && box.right - box.left <= side
    }

    private func isWhole(_ box: LabelBox) -> Bool { box.left >= 0 && box.right <= side }

    /// Calls `isEnough` with the possible places for the label `index` of `set`, in the order of preference, until
    /// `isEnough` returns true.
    private func forEachChoice(of index: Int, in set: LabelSet, _ isEnough: (Choice) -> Bool) {
        let (block, size) = (set.blocks[index], set.size(of: index, zoom: zoom))
        switch set.labels[index].place {
        case .beside(_, _, let spots): _ = spots.contains { isEnough(upright(index, $0, in: set)) }
        case .on(_, let room, let height):
            guard block.width * size <= room * side else { return }
            let slack = (height * side / size - block.height) / 2
            let spots = set.style(of: index).isShifted ? PlacedLabels.Spot.shifted : [.middle(0)]
            _ = spots.contains { spot in
                (spot.shift == 0 || abs(spot.shift) <= slack) && isEnough(upright(index, spot, in: set))
            }
        case .along(let range):
            let height = block.height * size + 2 * Self.margin
            LabelLine(set.vertices[range], side: side).forEachCurve(width: block.width * size, size: size) {
                isEnough(along($0, height: height))
            }
        }
    }

    private func upright(_ index: Int, _ spot: PlacedLabels.Spot, in set: LabelSet) -> Choice {
        let item = set.item(index, spot, zoom: zoom)
        return Choice(
            anchor: item.anchor, spot: spot, boxes: [item.box.moved(item.anchor.x * side, item.anchor.y * side)])
    }

    /// Returns the choice for a text along `curve`, whose points are in points of the world. `height` is that of the
    /// text with its margins, in points.
    private func along(_ curve: LabelCurve, height: Double) -> Choice {
        let (first, last) = (curve.points[0], curve.points[curve.points.count - 1])
        // A line across the antimeridian continues beyond the world's edge, so its x may be outside the world.
        let middle = WorldPoint(x: (first.x + last.x) / 2 / side, y: (first.y + last.y) / 2 / side)
        let anchor = middle.inWorld
        let moved = LabelCurve(
            points: curve.points.map { Point(x: $0.x - middle.x * side, y: $0.y - middle.y * side) },
            length: curve.length)
        return Choice(
            anchor: anchor, spot: .along(moved),
            boxes: moved.boxes(height: height).map { $0.moved(anchor.x * side, anchor.y * side) })
    }
}
