import MapGeometry

/// The tiles of one zoom that are visible in some of the rows of an image.
struct LevelCover {
    let zoom: Int
    /// The column and row of the tile that contains the target. All other columns and rows are counted from this tile.
    let origin: (column: Int, row: Int)
    /// The position of the target within its tile, as a fraction of the tile's side.
    let target: WorldPoint
    private(set) var tiles: [CoveredTile] = []

    /// An overlap thinner than this fraction of a tile counts as a mere touch (docs/spec/model.md ruling 17).
    private static let touch = 1e-9

    init(zoom: Int, target: WorldPoint) {
        self.zoom = zoom
        let span = Double(1 << zoom)
        let (x, y) = (target.x * span, target.y * span)
        origin = (column: Int(x.rounded(.down)), row: min(Int(y.rounded(.down)), 1 << zoom - 1))
        self.target = WorldPoint(x: x - Double(origin.column), y: y - Double(origin.row))
    }

    /// Adds the tiles under a convex shape on the ground. `corners` are positions relative to the camera's target, and
    /// the unit is the width of the world. Tiles outside `bounds` are left out. A tile that is visible in several
    /// copies of the world is added once per copy, except in a row where the shape overlaps more columns than the world
    /// has. Returns false if there are more than `limit` tiles, rows to visit, or columns to visit in a row.
    mutating func add(corners: [WorldPoint], bounds: CoordinateBounds?, limit: Int) -> Bool {
        let span = Double(1 << zoom)
        let corners = corners.map { WorldPoint(x: target.x + $0.x * span, y: target.y + $0.y * span) }
        let ys = corners.map(\.y)
        let inside = rows(of: bounds)
        let first = max((ys.min() ?? 0) + Self.touch, Double(inside.lowerBound - origin.row)).rounded(.down)
        let last = min((ys.max() ?? 0) - Self.touch, Double(inside.upperBound - origin.row) - 0.5).rounded(.down)
        guard first <= last else { return true }
        guard last - first < Double(limit) else { return false }
        for row in Int(first)...Int(last) {
            guard let columns = columns(in: row, corners, limit) else { return false }
            for column in columns { add(column, row, bounds) }
            if tiles.count > limit { return false }
        }
        return true
    }

    private mutating func add(_ column: Int, _ row: Int, _ bounds: CoordinateBounds?) {
        let x = (origin.column + column) & (1 << zoom - 1)
        guard let coordinate = TileCoordinate(z: zoom, x: x, y: origin.row + row) else { return }
        if let bounds, !bounds.intersects(CoordinateBounds(coordinate.bounds)) { return }
        let (east, south) = (Double(column) + 0.5 - target.x, Double(row) + 0.5 - target.y)
        let span = Double(1 << zoom)
        let distance = (east * east + south * south).squareRoot() / span
        tiles.append(CoveredTile(coordinate: coordinate, column: column, row: row, distance: distance))
    }

    /// Returns the columns that the shape overlaps in a row. If these are more than the world has, the result is one
    /// world of columns. Returns nil if there are more than `limit` columns.
    private func columns(in row: Int, _ corners: [WorldPoint], _ limit: Int) -> Range<Int>? {
        guard let extent = corners.extent(from: Double(row), to: Double(row + 1)) else { return 0..<0 }
        let (first, last) = (
            (extent.lowerBound + Self.touch).rounded(.down), (extent.upperBound - Self.touch).rounded(.down)
        )
        guard first <= last else { return 0..<0 }
        let world = 1 << zoom
        if last - first >= Double(world) { return world <= limit ? -(world / 2)..<(world - world / 2) : nil }
        guard last - first < Double(limit) else { return nil }
        return Int(first)..<Int(last) + 1
    }

    /// Returns the rows of the world that `bounds` overlap.
    private func rows(of bounds: CoordinateBounds?) -> Range<Int> {
        let world = 0..<(1 << zoom)
        guard let bounds else { return world }
        guard let northEast = bounds.northEast, let southWest = bounds.southWest else { return 0..<0 }
        let span = Double(1 << zoom)
        let first = (Mercator.project(northEast).y * span).rounded(.down)
        let last = (Mercator.project(southWest).y * span).rounded(.down)
        return Int(first)..<Int(last) + 1
    }
}

/// A visible tile, in one copy of the world.
struct CoveredTile: Hashable {
    let coordinate: TileCoordinate
    /// The column, counted from the target's tile.
    let column: Int
    let row: Int
    /// The distance from the target to the middle of the tile, in worlds.
    let distance: Double
}

extension [WorldPoint] {
    /// Returns the range of x that a convex shape covers between y `top` and `bottom`. The array contains the corners
    /// of the shape in order. Returns nil if no part of the shape is between `top` and `bottom`.
    func extent(from top: Double, to bottom: Double) -> ClosedRange<Double>? {
        var (west, east) = (Double.infinity, -Double.infinity)
        for (index, end) in enumerated() {
            let start = self[(index + count - 1) % count]
            let (upper, lower) = start.y <= end.y ? (start, end) : (end, start)
            guard upper.y <= bottom, lower.y >= top else { continue }
            for y in [Swift.max(upper.y, top), Swift.min(lower.y, bottom)] {
                let part = lower.y > upper.y ? (y - upper.y) / (lower.y - upper.y) : 0
                let xs = lower.y > upper.y ? [upper.x + (lower.x - upper.x) * part] : [upper.x, lower.x]
                for x in xs { (west, east) = (Swift.min(west, x), Swift.max(east, x)) }
            }
        }
        return west <= east ? west...east : nil
    }
}
