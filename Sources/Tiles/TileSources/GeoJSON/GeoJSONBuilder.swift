import Labels
import MapGeometry

/// Collects the features of a file while the file is read. `GeoJSONContent` is then made from the builder.
struct GeoJSONBuilder {
    private(set) var shapes: [GeoJSONShape] = []
    private(set) var styles: [GeoJSONStyle] = []
    private(set) var lines: [GeoJSONLine] = []
    private(set) var vertices: [WorldPoint] = []
    private(set) var boxes: [GeoJSONBox] = []
    var labels: [Label] = []
    /// Number of labels that were removed from `labels`, because a `LabelSet` cannot have so many.
    var leftOutLabels = 0
    private var styleNumbers: [GeoJSONStyle: UInt32] = [:]
    private var style: UInt32 = 0
    private var batch: UInt32 = 0

    /// Number of shapes from which on a further geometry is refused.
    static let most = 2_000_000

    /// Sets the style of the shapes that are added next.
    mutating func begin(_ style: GeoJSONStyle) {
        let number = styleNumbers[style] ?? UInt32(truncatingIfNeeded: styles.count)
        if number == styles.count {
            styles.append(style)
            styleNumbers[style] = number
        }
        if number != self.style { batch += 1 }
        self.style = number
    }

    /// Adds a point. The point may lie outside the world to the east or west.
    mutating func addPoint(_ point: WorldPoint) {
        let point = WorldPoint(x: point.x - point.x.rounded(.down), y: point.y)
        // The box of a point is its position.
        append(.point, [], GeoJSONBox(around: [point]))
    }

    /// Adds a line. If a step is longer than half the world but shorter than the world, the line takes the shorter way
    /// across the antimeridian.
    mutating func addLine(_ line: [WorldPoint]) {
        var part: [WorldPoint] = []
        var box = GeoJSONBox.nothing
        var turns = 0.0
        var last = line.first?.x ?? 0
        for vertex in Self.divided(line) {
            let step = vertex.x - last
            if abs(step) > 0.5, abs(step) < 1 { turns -= step < 0 ? -1 : 1 }
            last = vertex.x
            let next = WorldPoint(x: vertex.x + turns, y: vertex.y)
            var extended = box
            extended.extend(to: next)
            // A line around the world is drawn in parts, so that no part meets itself on the other side.
            if extended.right - extended.left > 1, part.count > 1, let end = part.last {
                appendLine(part)
                part = [end]
                extended = GeoJSONBox(around: [end, next])
            }
            part.append(next)
            box = extended
        }
        appendLine(part)
    }

    /// Divides each step that is longer than the world into shorter steps.
    private static func divided(_ line: [WorldPoint]) -> [WorldPoint] {
        guard zip(line, line.dropFirst()).contains(where: { abs($1.x - $0.x) > 1 }) else { return line }
        var divided = Array(line.prefix(1))
        for (start, end) in zip(line, line.dropFirst()) {
            // A step is at most three worlds long. Each of its eight parts is shorter than half the world and is drawn
            // as it is.
            let count = abs(end.x - start.x) > 1 ? 8.0 : 1
            for part in 1...Int(count) {
                let share = Double(part) / count
                divided.append(
                    WorldPoint(x: start.x + (end.x - start.x) * share, y: start.y + (end.y - start.y) * share))
            }
        }
        return divided
    }

    private mutating func appendLine(_ part: [WorldPoint]) {
        let (part, box) = moved([part])
        append(.line, part, box)
    }

    /// Adds a polygon. The first ring is the outline, and the others are holes. An open ring is closed.
    mutating func addArea(_ rings: [[WorldPoint]]) {
        var (rings, box) = moved(rings)
        if box.right - box.left > 1 {
            // The polygon is wider than the world. Cut off the part that would lie over the other side.
            (rings, box) = moved(
                rings.map { ring in
                    ring.map { WorldPoint(x: min(max($0.x, box.left), box.left + 1), y: $0.y) }
                })
        }
        for index in rings.indices {
            if let first = rings[index].first, rings[index].last != first { rings[index].append(first) }
            // Files use both winding directions. Use one for outer rings and the other for holes, so that the areas add
            // up.
            if (Self.area(rings[index]) < 0) == (index == 0) { rings[index].reverse() }
        }
        append(.area, rings, box)
    }

    /// Returns the lines moved so that they begin in the world, and the box around them.
    private func moved(_ lines: [[WorldPoint]]) -> ([[WorldPoint]], GeoJSONBox) {
        let box = GeoJSONBox(around: lines.joined())
        let turn = box.left.rounded(.down)
        guard turn.isFinite, turn != 0 else { return (lines, box) }
        let moved = lines.map { $0.map { WorldPoint(x: $0.x - turn, y: $0.y) } }
        return (moved, GeoJSONBox(around: moved.joined()))
    }

    /// Twice the area of a closed ring (the shoelace formula). Coordinates are relative to its first vertex for
    /// precision.
    private static func area(_ ring: [WorldPoint]) -> Double {
        guard let origin = ring.first else { return 0 }
        return zip(ring, ring.dropFirst()).reduce(0) { sum, step in
            sum + (step.0.x - origin.x) * (step.1.y - origin.y) - (step.1.x - origin.x) * (step.0.y - origin.y)
        }
    }

    private mutating func append(_ kind: GeoJSONShape.Kind, _ contours: [[WorldPoint]], _ box: GeoJSONBox) {
        let first = lines.count
        for contour in contours where !contour.isEmpty { append(contour) }
        shapes.append(
            GeoJSONShape(
                kind: kind, style: style, batch: batch,
                lines: UInt32(truncatingIfNeeded: first)..<UInt32(truncatingIfNeeded: lines.count), box: box))
    }

    private mutating func append(_ contour: [WorldPoint]) {
        let start = vertices.count
        vertices += contour
        let firstBox = boxes.count
        let runs = GeoJSONLine.runCount(vertices: contour.count)
        if runs > 1 {
            let length = GeoJSONLine.runLength
            let runBoxes = (0..<runs).map { run in
                GeoJSONBox(around: contour[run * length...min((run + 1) * length, contour.count - 1)])
            }
            for group in stride(from: 0, to: runs, by: GeoJSONLine.groupLength) {
                let group = runBoxes[group..<min(group + GeoJSONLine.groupLength, runs)]
                boxes.append(group.reduce(into: .nothing) { $0.extend(to: $1) })
            }
            boxes += runBoxes
        }
        lines.append(
            GeoJSONLine(
                vertices: start..<vertices.count, boxes: firstBox..<boxes.count, box: GeoJSONBox(around: contour)))
    }
}
