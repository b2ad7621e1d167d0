import Labels
import MapGeometry

/// The content of a GeoJSON file, prepared for drawing. All data are in a few long arrays.
///
/// This is a class, so that each drawing holds a reference instead of a copy. Immutable.
final class GeoJSONContent: Sendable {
    /// The shapes in the order of the file.
    let shapes: [GeoJSONShape]
    let styles: [GeoJSONStyle]
    let lines: [GeoJSONLine]
    /// Vertices in the Mercator world. A shape that crosses its eastern edge has x values up to 2.
    let vertices: [WorldPoint]
    let boxes: [GeoJSONBox]
    /// The area of the shapes in degrees. Nil if there are no shapes.
    let bounds: GeographicBox?
    /// Maximum distance in points by which the drawing of a shape extends beyond its box.
    let reach: Double
    /// The labels of the features. Nil if no feature has a label.
    let labels: LabelGroup?
    private let index: GeoJSONIndex

    /// Bytes of memory without the allocator's overhead.
    var bytes: Int {
        Self.bytes(of: shapes) + Self.bytes(of: styles) + Self.bytes(of: lines) + Self.bytes(of: vertices)
            + Self.bytes(of: boxes) + index.bytes + (labelSet?.bytes ?? 0)
    }

    var labelSet: LabelSet? { labels?.members.first?.set }

    private static func bytes<Element>(of array: [Element]) -> Int {
        array.capacity * MemoryLayout<Element>.stride
    }

    init(_ builder: consuming GeoJSONBuilder, labelStyle: LabelStyle) {
        shapes = builder.shapes
        styles = builder.styles
        lines = builder.lines
        vertices = builder.vertices
        boxes = builder.boxes
        bounds = GeographicBox(of: builder.shapes)
        reach = builder.styles.reduce(0) { max($0, $1.reach) }
        index = GeoJSONIndex(builder.shapes)
        labels =
            builder.labels.isEmpty
            ? nil
            : LabelGroup(
                LabelSet(
                    builder.labels, vertices: builder.vertices, styles: [labelStyle], leftOut: builder.leftOutLabels))
    }

    /// A shape near a tile, and the number of worlds by which it is moved to the east. Shape and number are stored in
    /// one integer, which is faster to sort.
    struct Neighbor: Comparable {
        private let number: Int

        /// A shape begins in the world and is at most one world wide.
        static let turns = -2...1

        init(shape: Int, turn: Int) { number = shape * 4 + turn + 2 }

        var shape: Int { number / 4 }
        var turn: Int { number % 4 - 2 }
        static func < (left: Self, right: Self) -> Bool { left.number < right.number }
    }

    /// Returns the shapes whose boxes meet `box`, in the order of the file. `box` may extend beyond the world by less
    /// than one world.
    func shapes(near box: GeoJSONBox) -> [Neighbor] {
        var found: [Neighbor] = []
        for turn in Neighbor.turns {
            index.forEachShape(near: box.moved(by: -turn), shapes) { found.append(Neighbor(shape: $0, turn: turn)) }
        }
        guard found.count > shapes.count / 8 else {
            found.sort()
            return found
        }
        // If a large part of the file is found, counting is faster than sorting.
        var turns = [UInt8](repeating: 0, count: shapes.count)
        for neighbor in found { turns[neighbor.shape] |= 1 << UInt8(neighbor.turn - Neighbor.turns.lowerBound) }
        found.removeAll(keepingCapacity: true)
        for shape in shapes.indices where turns[shape] != 0 {
            for turn in Neighbor.turns where turns[shape] >> UInt8(turn - Neighbor.turns.lowerBound) & 1 == 1 {
                found.append(Neighbor(shape: shape, turn: turn))
            }
        }
        return found
    }

    /// Divides a line into parts, so that a tile can skip the parts it does not show. `near` is the box around the
    /// tile.
    ///
    /// Calls `body` with the vertices of each part in order. A part begins where the part before ended. The argument
    /// `part` tells whether the part is near the tile, far from it, or smaller than `detail`.
    func forEachPart<Failure: Error>(
        of line: GeoJSONLine, near: GeoJSONBox, detail: Double,
        _ body: (Range<Int>, _ part: Part) throws(Failure) -> Void
    ) throws(Failure) {
        guard !line.boxes.isEmpty else { return try body(line.vertices, .near) }
        let runCount = GeoJSONLine.runCount(vertices: line.vertices.count)
        let groupCount = GeoJSONLine.groupCount(runs: runCount)
        let firstRun = line.boxes.lowerBound + groupCount
        func vertices(_ runs: Range<Int>) -> Range<Int> {
            let start = line.vertices.lowerBound + runs.lowerBound * GeoJSONLine.runLength
            let end = line.vertices.lowerBound + runs.upperBound * GeoJSONLine.runLength + 1
            return start..<min(end, line.vertices.upperBound)
        }
        for group in 0..<groupCount {
            let start = group * GeoJSONLine.groupLength
            let runs = start..<min(start + GeoJSONLine.groupLength, runCount)
            let part = Part(boxes[line.boxes.lowerBound + group], near, detail)
            guard part == .near else {
                try body(vertices(runs), part)
                continue
            }
            for run in runs { try body(vertices(run..<run + 1), Part(boxes[firstRun + run], near, detail)) }
        }
    }

    /// The relation of a part of a line to a tile.
    enum Part {
        case near, far
        /// Near, and so small that only its ends are drawn.
        case tiny

        fileprivate init(_ box: GeoJSONBox, _ near: GeoJSONBox, _ detail: Double) {
            self = !box.meets(near) ? .far : box.isSmaller(than: detail) ? .tiny : .near
        }
    }
}
