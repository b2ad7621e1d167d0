import MapGeometry

/// What is drawn at once: a point, a line, or a polygon with its holes.
struct GeoJSONShape: Sendable {
    let kind: Kind
    /// Its index in `GeoJSONContent.styles`.
    let style: UInt32
    /// The same for all shapes that follow each other in the file and have one style: they are drawn as one.
    let batch: UInt32
    /// Its indices in `GeoJSONContent.lines`: the outer ring and then its holes; a line is one, and a point has none.
    let lines: Range<UInt32>
    /// Around all of it; its left edge is in 0..<1. That of a point is the point itself.
    let box: GeoJSONBox

    enum Kind: UInt8, Sendable {
        case point, line, area
    }
}

/// A line or a ring in `GeoJSONContent.vertices`.
///
/// A long one has boxes around its parts, on two levels: a tile reads the parts near it and skips the others.
struct GeoJSONLine: Sendable {
    /// A ring ends with its first vertex. Outer rings go one way around, holes the other.
    let vertices: Range<Int>
    /// In `GeoJSONContent.boxes`: those of the groups and then those of the runs; empty for a line of one run.
    let boxes: Range<Int>
    let box: GeoJSONBox

    /// Steps between the vertices of a run, and runs in a group.
    static let runLength = 32
    static let groupLength = 32

    /// How many runs a line of so many vertices has.
    static func runCount(vertices: Int) -> Int { max(1, (vertices - 2) / runLength + 1) }

    /// How many groups so many runs have.
    static func groupCount(runs: Int) -> Int { (runs - 1) / groupLength + 1 }
}
