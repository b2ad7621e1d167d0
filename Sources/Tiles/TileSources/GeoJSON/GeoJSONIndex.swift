import Tiles

/// Finds the shapes near a tile quickly. The index is a tree of boxes: each box contains up to 16 boxes of the level
/// below, and each of the lowest boxes contains up to 16 shapes. The shapes are sorted along a Z-order curve, so that
/// shapes in one box are mostly near each other.
struct GeoJSONIndex: Sendable {
    private let order: [UInt32]
    /// The levels of the tree. The first level has the boxes around shapes. The last level has at most `width` boxes.
    private let levels: [[GeoJSONBox]]

    private static let width = 16

    init(_ shapes: [GeoJSONShape]) {
        let codes = shapes.map { Self.code($0.box) }
        order = shapes.indices.sorted { codes[$0] < codes[$1] }.map { UInt32(truncatingIfNeeded: $0) }
        var levels = [Self.boxes(around: order.map { shapes[Int($0)].box })]
        while let last = levels.last, last.count > Self.width { levels.append(Self.boxes(around: last)) }
        self.levels = levels
    }

    /// Bytes of memory.
    var bytes: Int {
        order.capacity * MemoryLayout<UInt32>.stride
            + levels.reduce(0) { $0 + $1.capacity * MemoryLayout<GeoJSONBox>.stride }
    }

    /// Calls `body` with the index in `shapes` of each shape with a box that meets `box`, in no particular order.
    func forEachShape(near box: GeoJSONBox, _ shapes: [GeoJSONShape], _ body: (Int) -> Void) {
        visit(levels[levels.count - 1].indices, of: levels.count - 1, near: box, shapes, body)
    }

    private func visit(
        _ nodes: Range<Int>, of level: Int, near box: GeoJSONBox, _ shapes: [GeoJSONShape], _ body: (Int) -> Void
    ) {
        // The recursion is at most as deep as the number of shapes has hexadecimal digits.
        for node in nodes where levels[level][node].meets(box) {
            let start = node * Self.width
            if level > 0 {
                let end = min(start + Self.width, levels[level - 1].count)
                visit(start..<end, of: level - 1, near: box, shapes, body)
            } else {
                for position in start..<min(start + Self.width, order.count) {
                    let shape = Int(order[position])
                    if shapes[shape].box.meets(box) { body(shape) }
                }
            }
        }
    }

    private static func boxes(around boxes: [GeoJSONBox]) -> [GeoJSONBox] {
        stride(from: 0, to: boxes.count, by: width).map { start in
            boxes[start..<min(start + width, boxes.count)].reduce(into: .nothing) { $0.extend(to: $1) }
        }
    }

    /// The position of the box's middle on the Z-order curve: the bits of x and y in turn.
    private static func code(_ box: GeoJSONBox) -> UInt32 {
        func spread(_ position: Double) -> UInt32 {
            var bits = UInt32(min(max(position * 32_768, 0), 65_535))
            bits = (bits | bits << 8) & 0x00FF_00FF
            bits = (bits | bits << 4) & 0x0F0F_0F0F
            bits = (bits | bits << 2) & 0x3333_3333
            return (bits | bits << 1) & 0x5555_5555
        }
        return spread((box.left + box.right) / 2) | spread((box.top + box.bottom) / 2) << 1
    }
}

/// The shapes of a file that are near a tile, in the order of the file.
struct GeoJSONSelection {
    let content: GeoJSONContent
    let neighbors: [GeoJSONContent.Neighbor]
    let batches: [Batch]

    /// Shapes that are drawn as one, so that their overlaps and borders are not visible.
    struct Batch {
        let style: GeoJSONStyle
        /// Indices in `neighbors`.
        let members: Range<Int>
    }

    init(_ content: GeoJSONContent, near frame: TileFrame) {
        self.content = content
        // The margin exceeds the reach by more than a square of `GeoJSONDrawing.pointsToDraw`, so that all tiles draw
        // the same point of a square.
        let box = GeoJSONWindow(content, frame).box(margin: (content.reach + 2) * frame.scale)
        neighbors = content.shapes(near: box)
        var batches: [Batch] = []
        var start = 0
        for end in neighbors.indices.dropFirst() + [neighbors.count] where start < end {
            let first = content.shapes[neighbors[start].shape]
            if end < neighbors.count, content.shapes[neighbors[end].shape].batch == first.batch { continue }
            batches.append(Batch(style: content.styles[Int(first.style)], members: start..<end))
            start = end
        }
        self.batches = batches
    }

    /// Approximate number of vertices that a drawing reads. A vertex that is read twice counts twice.
    var vertexCount: Int {
        batches.reduce(0) { sum, batch in
            let (areas, lines) = (batch.style.hasFill ? 1 : 0, batch.style.hasStroke ? 1 : 0)
            return neighbors[batch.members].reduce(sum) { sum, member in
                let shape = content.shapes[member.shape]
                let vertices = shape.lines.reduce(0) { $0 + content.lines[Int($1)].vertices.count }
                return switch shape.kind {
                case .point: sum + 1
                case .line: sum + lines * vertices
                case .area: sum + (areas + lines) * vertices
                }
            }
        }
    }
}
