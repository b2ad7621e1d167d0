import MapGeometry

/// The labels of a layer, sorted by priority, and with measured texts. Immutable.
package final class LabelSet: Sendable {
    /// Maximum number of labels in a set.
    package static let most = 200_000
    /// Maximum bytes in memory of the labels of a set, with their texts and measures.
    package static let mostBytes = 64 << 20

    /// The labels, sorted by priority. The label with the highest priority is the first.
    package let labels: [Label]
    /// The vertices of all lines along which labels lie.
    let vertices: [WorldPoint]
    /// The styles to which `Label.style` refers. Not empty.
    package let styles: [LabelStyle]
    /// The measured text of each label, in the order of `labels`.
    let blocks: [TextBlock]
    /// Number of labels that are left out, because the set would exceed `most` or `mostBytes`.
    package let leftOut: Int
    /// An estimate of the bytes in memory of the labels, with their texts and measures.
    package let bytes: Int

    /// Sorts and measures `labels`. `leftOut` is the number of labels that the caller has left out already.
    package init(_ labels: [Label], vertices: [WorldPoint] = [], styles: [LabelStyle], leftOut: Int = 0) {
        // The index is the second key, because `sorted` may change the order of equal priorities.
        let order = labels.indices.sorted { one, other in
            labels[one].priority != labels[other].priority ? labels[one].priority > labels[other].priority : one < other
        }
        var (kept, blocks, bytes) = ([Label](), [TextBlock](), 0)
        for index in order.prefix(Self.most) {
            let block = TextBlock(labels[index], spacing: styles[labels[index].style].spacing)
            let added = labels[index].size + block.size
            guard bytes + added <= Self.mostBytes else { break }
            kept.append(labels[index])
            blocks.append(block)
            bytes += added
        }
        (self.labels, self.vertices, self.styles, self.blocks, self.bytes) = (kept, vertices, styles, blocks, bytes)
        self.leftOut = leftOut + labels.count - kept.count
    }

    func style(of index: Int) -> LabelStyle { styles[labels[index].style] }

    /// Returns the font size of the label at `index`, in points.
    func size(of index: Int, zoom: Int) -> Double { styles[labels[index].style].size(zoom: zoom) }

    /// Returns the largest font size of all styles at `zoom`, in points.
    func largestSize(zoom: Int) -> Double { styles.reduce(0) { max($0, $1.size(zoom: zoom)) } }

    /// Returns the distance in points from the middle to the edge of the symbol of the label `index`. Returns 0 if the
    /// label has no symbol.
    func reach(of index: Int) -> Double {
        if case .beside(_, let reach, _) = labels[index].place { reach } else { 0 }
    }

    /// Returns the label `index` with its text at `spot`. The label must not lie along a line. The box of the result
    /// includes a margin for the halo.
    func item(_ index: Int, _ spot: PlacedLabels.Spot, zoom: Int) -> PlacedLabels.Item {
        let anchor: WorldPoint =
            switch labels[index].place {
            case .beside(let point, _, _), .on(let point, _, _): point
            case .along(let range): vertices[range.lowerBound]
            }
        let (block, size, margin) = (blocks[index], size(of: index, zoom: zoom), LabelDecision.margin)
        let corner = block.corner(spot, reach: reach(of: index), size: size)
        let box = LabelBox(
            left: corner.x - margin, top: corner.y - margin, right: corner.x + block.width * size + margin,
            bottom: corner.y + block.height * size + margin)
        return PlacedLabels.Item(label: index, anchor: anchor.inWorld, spot: spot, box: box)
    }
}

extension WorldPoint {
    /// This point, moved by whole worlds to the east or west until x is in 0..<1. The map repeats the world in x, but
    /// each label must have only one place.
    var inWorld: WorldPoint { WorldPoint(x: x - x.rounded(.down), y: y) }
}

extension TextBlock {
    fileprivate init(_ label: Label, spacing: Double) {
        var isOneLine = false
        if case .along = label.place { isOneLine = true }
        self.init(label.text, language: label.language, spacing: spacing, isOneLine: isOneLine)
    }
}

extension Label {
    /// An estimate of the bytes that the label takes in memory. 32 bytes are the header that Swift stores before the
    /// characters of the text.
    fileprivate var size: Int { MemoryLayout<Label>.stride + 32 + text.utf8.count }
}
