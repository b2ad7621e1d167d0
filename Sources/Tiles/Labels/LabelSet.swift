import MapGeometry

/// The labels of a layer, sorted and measured. Immutable.
package final class LabelSet: Sendable {
    /// Maximum number of labels.
    package static let most = 200_000
    /// Maximum number of bytes of the labels.
    package static let mostBytes = 64 << 20

    /// The labels by priority, the most important one first.
    package let labels: [Label]
    /// The vertices of lines that have labels.
    let vertices: [WorldPoint]
    /// The looks to which labels refer. Not empty.
    package let styles: [LabelStyle]
    /// The texts of the labels in lines.
    let blocks: [TextBlock]
    /// Number of labels that exceed the limits and are left out.
    package let leftOut: Int
    /// Bytes in memory.
    package let bytes: Int

    /// Sorts and measures `labels`. `leftOut` is the number of labels that the caller left out.
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

    /// Returns the size of a label's text in points.
    func size(of index: Int, zoom: Int) -> Double { styles[labels[index].style].size(zoom: zoom) }

    /// The size of the largest text in points.
    func largestSize(zoom: Int) -> Double { styles.reduce(0) { max($0, $1.size(zoom: zoom)) } }

    /// Returns the distance from the middle of a label's symbol to its edge in points. 0 if there is no symbol.
    func reach(of index: Int) -> Double {
        if case .beside(_, let reach, _) = labels[index].place { reach } else { 0 }
    }

    /// Returns a label that does not lie along a line, at one of its spots. The box includes a margin for the halo.
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
    /// The place with x in 0..<1. Each label is then found once.
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
    /// An estimate of the bytes that the label takes in memory.
    fileprivate var size: Int { MemoryLayout<Label>.stride + 32 + text.utf8.count }
}
