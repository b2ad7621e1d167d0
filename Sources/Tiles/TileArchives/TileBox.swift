import MapGeometry

/// The columns and rows of the tiles that a geographic box contains or touches, at each zoom.
struct TileBox: Sendable {
    private struct Grid {
        /// The columns of the tiles. Has two ranges if the box crosses the antimeridian, and one range otherwise. Two
        /// ranges that touch or overlap are joined to one.
        let columns: [Range<Int>]
        let rows: Range<Int>
    }

    /// The grid of each zoom in 0...30.
    private let grids: [Grid]

    /// The tolerance of coordinates, as a fraction of the world's width. The tolerance is 4 micrometres at the equator,
    /// and rounding errors of computed edges are smaller. A box whose edges are the edges of a tile therefore does not
    /// contain the tiles around this tile.
    static let tolerance = 1e-13

    /// Finds the tiles of `box` at each zoom. Returns nil if the box lies north or south of the map, which ends at
    /// ±85.05 degrees.
    init?(_ box: GeographicBox) {
        guard box.south < Mercator.maxLatitude, box.north > -Mercator.maxLatitude,
            let northWest = Coordinate(validating: box.north, longitude: box.west).map(Mercator.project),
            let southEast = Coordinate(validating: box.south, longitude: box.east).map(Mercator.project)
        else { return nil }
        let (west, east) = (northWest.x, southEast.x)
        let spans: [(start: Double, end: Double)] = west < east ? [(west, east)] : [(0, east), (west, 1)]
        grids = (0...TileCoordinate.maxZoom).map { zoom in
            let columns = spans.map { Self.range($0.start, $0.end, 1 << zoom) }
            return Grid(columns: Self.merged(columns), rows: Self.range(northWest.y, southEast.y, 1 << zoom))
        }
    }

    /// Returns the number of tiles of `zoom` that belong to the box and lie in the square `node`. The zoom of `node` is
    /// at most `zoom`.
    func count(in node: HilbertNode, zoom: Int) -> Int {
        let (grid, depth) = (grids[zoom], zoom - node.z)
        let columns = (node.x << depth)..<((node.x + 1) << depth)
        let rows = (node.y << depth)..<((node.y + 1) << depth)
        return grid.columns.reduce(0) { $0 + $1.clamped(to: columns).count } * grid.rows.clamped(to: rows).count
    }

    /// Returns the numbers of the columns or rows between `start` and `end`, two coordinates of the world in 0...1.
    /// `span` is the number of columns or rows of the whole world. The result is never empty, so the thinnest box still
    /// has one column or row.
    private static func range(_ start: Double, _ end: Double, _ span: Int) -> Range<Int> {
        let first = Int(((start + tolerance) * Double(span)).rounded(.down))
        let last = Int(((end - tolerance) * Double(span)).rounded(.up)) - 1
        let clamped = min(max(first, 0), span - 1)
        return clamped..<(min(max(last, clamped), span - 1) + 1)
    }

    private static func merged(_ ranges: [Range<Int>]) -> [Range<Int>] {
        guard ranges.count == 2, ranges[1].lowerBound <= ranges[0].upperBound else { return ranges }
        return [ranges[0].lowerBound..<max(ranges[0].upperBound, ranges[1].upperBound)]
    }
}
