import MapGeometry

/// What a GeoJSON file holds, ready to be drawn: everything in a few long arrays.
///
/// A class, because every drawing holds one: a reference instead of a copy of everything. Immutable.
final class GeoJSONContent: Sendable {
    /// In the order of the file.
    let shapes: [GeoJSONShape]
    let styles: [GeoJSONStyle]
    let lines: [GeoJSONLine]
    /// In the Mercator world; those of a shape that goes on behind its eastern edge have an x of up to 2.
    let places: [WorldPoint]
    let boxes: [GeoJSONBox]
    /// Where the shapes are, in degrees; nil where there are none.
    let bounds: GeoJSONBounds?
    /// The farthest that any shape is seen from its place, in points.
    let reach: Double
    private let index: GeoJSONIndex

    init(_ builder: consuming GeoJSONBuilder) {
        shapes = builder.shapes
        styles = builder.styles
        lines = builder.lines
        places = builder.places
        boxes = builder.boxes
        bounds = GeoJSONBounds(of: builder.shapes)
        reach = builder.styles.reduce(0) { max($0, $1.reach) }
        index = GeoJSONIndex(builder.shapes)
    }

    /// A shape, and by how many worlds it is moved to the east.
    struct Neighbor: Equatable {
        let shape: Int
        let turn: Int
    }

    /// The shapes whose boxes meet `box`, which lies within half a world of the world, in the order of the file.
    func shapes(near box: GeoJSONBox) -> [Neighbor] {
        // A shape begins in the world and goes on for at most one more.
        let turns = -2...1
        // In one number each, which sorts in a third of the time.
        var found = turns.flatMap { turn in
            let (left, right) = (box.left - Double(turn), box.right - Double(turn))
            let moved = GeoJSONBox(left: left, top: box.top, right: right, bottom: box.bottom)
            return index.shapes(near: moved, shapes).map { $0 * turns.count + turn - turns.lowerBound }
        }
        found.sort()
        return found.map {
            Neighbor(shape: $0 / turns.count, turn: $0 % turns.count + turns.lowerBound)
        }
    }

    /// Parts of a line for a tile that shows what is in `near`.
    ///
    /// `body` gets the places of one part after the other, each beginning where the one before ended, and whether they
    /// matter: not if they lie beside the tile, or within less than `detail` of each other.
    func forEachPart(
        of line: GeoJSONLine, near: GeoJSONBox, detail: Double, _ body: (Range<Int>, _ part: Part) -> Void
    ) {
        guard !line.boxes.isEmpty else { return body(line.places, .near) }
        let runCount = GeoJSONLine.runCount(places: line.places.count)
        let groupCount = GeoJSONLine.groupCount(runs: runCount)
        let firstRun = line.boxes.lowerBound + groupCount
        func places(_ runs: Range<Int>) -> Range<Int> {
            let start = line.places.lowerBound + runs.lowerBound * GeoJSONLine.runLength
            let end = line.places.lowerBound + runs.upperBound * GeoJSONLine.runLength + 1
            return start..<min(end, line.places.upperBound)
        }
        for group in 0..<groupCount {
            let start = group * GeoJSONLine.groupLength
            let runs = start..<min(start + GeoJSONLine.groupLength, runCount)
            let part = Part(boxes[line.boxes.lowerBound + group], near, detail)
            guard part == .near else {
                body(places(runs), part)
                continue
            }
            for run in runs { body(places(run..<run + 1), Part(boxes[firstRun + run], near, detail)) }
        }
    }

    /// What a part of a line is to a tile.
    enum Part {
        case near, far
        /// Near, and so small that only its ends matter.
        case tiny

        fileprivate init(_ box: GeoJSONBox, _ near: GeoJSONBox, _ detail: Double) {
            self = !box.meets(near) ? .far : box.isSmaller(than: detail) ? .tiny : .near
        }
    }
}
