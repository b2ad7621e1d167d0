import MapGeometry

/// The tiles of one zoom that some rows of an image see.
struct LevelCover {
    let zoom: Int
    /// The column and row of the tile that the target is in; all others are counted from there.
    let origin: (column: Int, row: Int)
    /// Where the target is in its tile, in tiles.
    let target: WorldPoint
    private(set) var tiles: [CoveredTile] = []

    /// Overlaps thinner than this part of a tile are touches (docs/spec/model.md ruling 17).
    private static let touch = 1e-9

    init(zoom: Int, target: WorldPoint) {
        self.zoom = zoom
        let span = Double(1 << zoom)
        let (x, y) = (target.x * span, target.y * span)
        origin = (column: Int(x.rounded(.down)), row: min(Int(y.rounded(.down)), 1 << zoom - 1))
        self.target = WorldPoint(x: x - Double(origin.column), y: y - Double(origin.row))
    }

    /// Adds the tiles that the convex shape with these corners overlaps, given in worlds from the target; each copy of
    /// the world for itself. Returns false where there are more than `limit`.
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

    /// The columns that the shape overlaps in a row; all of a world where it is wider. Nil if there are more than `limit`.
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

    /// The rows of the world that `bounds` reach.
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

/// A tile that is seen, in one copy of the world.
struct CoveredTile: Hashable {
    let coordinate: TileCoordinate
    /// From the target's tile.
    let column: Int
    let row: Int
    /// From the target to the middle, in worlds.
    let distance: Double
}

extension [WorldPoint] {
    /// How far west and east the convex shape with these corners, in their order, reaches between two parallels; nil where it
    /// does not come between them.
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
