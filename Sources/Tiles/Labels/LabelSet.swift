import MapGeometry
import Text

/// The labels of a layer, and which of them are shown at each zoom. The decision depends on the labels and the zoom
/// alone, so all tiles show the same labels. Thread rule: any thread; the first call for a zoom decides, which takes
/// longer for more labels.
package final class LabelSet: Sendable {
    /// Maximum number of labels.
    package static let most = 200_000
    /// Maximum number of bytes of the labels.
    package static let mostBytes = 64 << 20
    /// Number of bytes for the decisions of the latest zooms.
    private static let decidedBytes = 24 << 20

    /// The labels by priority, the most important one first.
    package let labels: [Label]
    /// The vertices of lines that have labels.
    let vertices: [WorldPoint]
    /// The texts of the labels in lines.
    let blocks: [TextBlock]
    /// The size of the texts in points.
    package let size: Double
    /// Number of labels that exceed the limits and are left out.
    package let leftOut: Int
    /// Bytes in memory.
    package let bytes: Int
    private let decided = BoundedCache<Int, PlacedLabels>(bytes: decidedBytes)

    /// Sorts and measures `labels`. `leftOut` is the number of labels that the caller left out.
    package init(_ labels: [Label], vertices: [WorldPoint], size: Double, leftOut: Int = 0) {
        // The index is the second key, because `sorted` may change the order of equal priorities.
        let order = labels.indices.sorted { one, other in
            labels[one].priority != labels[other].priority ? labels[one].priority > labels[other].priority : one < other
        }
        var (kept, blocks, bytes) = ([Label](), [TextBlock](), 0)
        for index in order.prefix(Self.most) {
            let block = TextBlock(labels[index], size: size)
            let added = labels[index].size + block.size
            guard bytes + added <= Self.mostBytes else { break }
            kept.append(labels[index])
            blocks.append(block)
            bytes += added
        }
        (self.labels, self.vertices, self.blocks, self.size, self.bytes) = (kept, vertices, blocks, size, bytes)
        self.leftOut = leftOut + labels.count - kept.count
    }

    /// Returns a label that is not turned, at one of its spots. The box includes a margin for the halo.
    func item(_ index: Int, _ spot: PlacedLabels.Spot) -> PlacedLabels.Item {
        let (anchor, reach): (WorldPoint, Double) =
            switch labels[index].place {
            case .beside(let point, let reach): (point, reach)
            case .on(let point, _): (point, 0)
            case .along(let range): (vertices[range.lowerBound], 0)
            }
        let (block, margin) = (blocks[index], LabelDecision.margin)
        let corner = TextBlock.corner(spot, reach: reach, block, size: size)
        let box = LabelBox(
            left: corner.x - margin, top: corner.y - margin, right: corner.x + block.width * size + margin,
            bottom: corner.y + block.height(size: size) + margin)
        // The anchor lies in the world, so that each label is found once.
        let inWorld = WorldPoint(x: anchor.x - anchor.x.rounded(.down), y: anchor.y)
        return PlacedLabels.Item(label: index, anchor: inWorld, spot: spot, box: box)
    }

    /// Returns the labels that are shown in a world of 256 · 2^`zoom` points a side.
    package func placed(zoom: Int) -> PlacedLabels {
        decided.value(zoom, size: \.size) { LabelDecision(self, zoom: zoom).placed() }
    }
}

/// The text of a label, broken into lines and measured.
struct TextBlock: Sendable {
    let lines: [String]
    /// The width of the longest line in sizes of the font.
    let width: Double

    /// Maximum width of a line in sizes of the font, and maximum number of lines.
    private static let widest = 10.0
    private static let mostLines = 3

    init(_ label: Label, size: Double) {
        let font = Font(size: size, language: label.language)
        switch label.place {
        case .along: lines = font.lines(of: label.text, width: .infinity, most: 1)
        case .beside, .on: lines = font.lines(of: label.text, width: Self.widest * size, most: Self.mostLines)
        }
        width = (lines.map { font.width(of: $0) }.max() ?? 0) / size
    }

    /// An estimate of the bytes that the block takes in memory.
    var size: Int { lines.reduce(MemoryLayout<TextBlock>.stride + 32) { $0 + 32 + $1.utf8.count } }
}

extension Label {
    /// An estimate of the bytes that the label takes in memory.
    fileprivate var size: Int { MemoryLayout<Label>.stride + 32 + text.utf8.count }
}
