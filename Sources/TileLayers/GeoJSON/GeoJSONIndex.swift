/// Finds shapes by where they are: a tree of boxes, each around 16 of the level below, over the shapes along a Z-shaped
/// curve, which brings neighbours together.
struct GeoJSONIndex: Sendable {
    private let order: [UInt32]
    /// The lowest level, whose boxes lie around shapes, first; the last one has at most `width` boxes.
    private let levels: [[GeoJSONBox]]

    private static let width = 16

    init(_ shapes: [GeoJSONShape]) {
        let codes = shapes.map { Self.code($0.box) }
        order = shapes.indices.sorted { codes[$0] < codes[$1] }.map { UInt32(truncatingIfNeeded: $0) }
        var levels = [Self.boxes(around: order.map { shapes[Int($0)].box })]
        while let last = levels.last, last.count > Self.width { levels.append(Self.boxes(around: last)) }
        self.levels = levels
    }

    /// The places in `shapes` of those whose boxes meet `box`, in no order.
    func shapes(near box: GeoJSONBox, _ shapes: [GeoJSONShape]) -> [Int] {
        var nodes = Array(levels[levels.count - 1].indices)
        for level in levels.indices.reversed() {
            let met = nodes.filter { levels[level][$0].meets(box) }
            let count = level > 0 ? levels[level - 1].count : order.count
            nodes = met.flatMap { $0 * Self.width..<min(($0 + 1) * Self.width, count) }
        }
        return nodes.map { Int(order[$0]) }.filter { shapes[$0].box.meets(box) }
    }

    private static func boxes(around boxes: [GeoJSONBox]) -> [GeoJSONBox] {
        stride(from: 0, to: boxes.count, by: width).map { start in
            boxes[start..<min(start + width, boxes.count)].reduce(into: .nothing) { $0.extend(to: $1) }
        }
    }

    /// The bits of the box's middle, x and y in turn (Morton).
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
