import MapGeometry

/// A unit of drawing: a point, a line, or a polygon with its holes.
struct GeoJSONShape: Sendable {
    let kind: Kind
    /// Index in `GeoJSONContent.styles`.
    let style: UInt32
    /// The number of the batch. Consecutive shapes of the file with one style form a batch and are drawn as one.
    let batch: UInt32
    /// Indices in `GeoJSONContent.lines`: the outer ring and then its holes. A line has one index and a point has none.
    let lines: Range<UInt32>
    /// The box around the shape, with its left edge in 0..<1. The box of a point is the point itself.
    let box: GeoJSONBox

    enum Kind: UInt8, Sendable {
        case point, line, area
    }
}

/// A line or a ring in `GeoJSONContent.vertices`.
///
/// A long line has boxes around its parts, on two levels. A tile reads the parts near it and skips the others.
struct GeoJSONLine: Sendable {
    /// The vertices. A ring ends with its first vertex. Outer rings and holes have opposite directions.
    let vertices: Range<Int>
    /// Indices in `GeoJSONContent.boxes`: first the boxes of the groups, then those of the runs. Empty for a line of
    /// one run.
    let boxes: Range<Int>
    let box: GeoJSONBox

    /// Number of steps between vertices in a run. `groupLength` is the number of runs in a group.
    static let runLength = 32
    static let groupLength = 32

    /// Returns the number of runs of a line with this many vertices.
    static func runCount(vertices: Int) -> Int { max(1, (vertices - 2) / runLength + 1) }

    /// Returns the number of groups of this many runs.
    static func groupCount(runs: Int) -> Int { (runs - 1) / groupLength + 1 }
}
