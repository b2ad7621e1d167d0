import MapGeometry

/// The tiles of one zoom from which an image is drawn, with their positions in a grid. Columns and rows are counted
/// from the tile that contains the camera's target.
struct LevelGrid: Sendable {
    struct Tile: Sendable {
        let coordinate: TileCoordinate
        /// The index of the tile in the plan's list of tiles.
        let index: Int
        let column: Int
        let row: Int
    }

    let zoom: Int
    /// The position of the target within its tile, as a fraction of the tile's side.
    let target: WorldPoint
    /// The columns and rows that contain tiles. The number of columns is at most the number around the world.
    let columns: Range<Int>
    let rows: Range<Int>
    /// The tiles, row by row, without repetition.
    let tiles: [Tile]

    /// The number of columns around the world.
    var world: Int { 1 << zoom }

    /// Creates the grid of the tiles that are in `cover` and in `indices`. `indices` contains the index of each drawn
    /// tile in the plan. Returns nil if there is no such tile.
    init?(_ cover: LevelCover, indices: [TileCoordinate: Int]) {
        let world = 1 << cover.zoom
        let west = cover.tiles.lazy.filter { indices[$0.coordinate] != nil }.map(\.column).min() ?? 0
        var found: [TileCoordinate: Tile] = [:]
        for tile in cover.tiles {
            guard let index = indices[tile.coordinate] else { continue }
            let column = west + (tile.column - west) % world
            found[tile.coordinate] = Tile(
                coordinate: tile.coordinate, index: index, column: column, row: tile.row)
        }
        tiles = found.values.sorted { ($0.row, $0.column) < ($1.row, $1.column) }
        guard let first = tiles.first, let last = tiles.last else { return nil }
        zoom = cover.zoom
        target = cover.target
        rows = first.row..<last.row + 1
        columns = west..<tiles.reduce(west) { max($0, $1.column) } + 1
    }

    /// Returns the indices of the tiles under a convex shape on the ground, and of the tiles within `margin` tiles
    /// around it. `corners` are positions relative to the camera's target, and the unit is the width of the world.
    func indices(under corners: [WorldPoint], margin: Double) -> [Int] {
        let span = Double(world)
        let corners = corners.map { WorldPoint(x: target.x + $0.x * span, y: target.y + $0.y * span) }
        var indices: [Int] = []
        var row: (number: Int, columns: ClosedRange<Int>?)?
        for tile in tiles {
            if row?.number != tile.row { row = (tile.row, Self.columns(in: tile.row, corners, margin)) }
            guard let columns = row?.columns else { continue }
            let offset = (tile.column - columns.lowerBound) % world
            if (offset < 0 ? offset + world : offset) < columns.count { indices.append(tile.index) }
        }
        return indices
    }

    /// Returns the columns in a row whose distance from the shape is at most `margin` tiles. Returns nil if there are
    /// none.
    private static func columns(in row: Int, _ corners: [WorldPoint], _ margin: Double) -> ClosedRange<Int>? {
        guard let extent = corners.extent(from: Double(row) - margin, to: Double(row + 1) + margin) else { return nil }
        return Int((extent.lowerBound - margin).rounded(.down))...Int((extent.upperBound + margin).rounded(.down))
    }
}

extension LayerPlan {
    /// Returns the tiles that some rows of an image need. The key is the index of the tile. The value says at which
    /// sizes the tile is needed: each halving halves the side of the tile.
    func needs(of rows: Range<Int>, on ground: ScreenGround) -> [Int: Halvings] {
        struct Part: Hashable {
            let zoom: Int
            let halvings: Int
        }
        var parts: [Part: (first: Int, along: Int, last: Int)] = [:]
        for index in rows {
            guard let row = ground.row(at: Double(index) + 0.5) else { continue }
            for level in rule.levels(of: row) {
                parts[Part(zoom: level.zoom, halvings: level.halvings), default: (index, level.along, index)].last =
                    index
            }
        }
        var needs: [Int: Halvings] = [:]
        for (part, range) in parts {
            guard let grid = grids[part.zoom] else { continue }
            // The margin covers the neighbouring texels of the interpolation, and rounding.
            let margin = 2 / Double(layer.tileSize >> part.halvings)
            let corners = ground.corners(of: range.first...range.last, along: range.along)
            for index in grid.indices(under: corners, margin: margin) {
                needs[index, default: []].insert(Halvings(part.halvings))
            }
        }
        return needs
    }
}

extension ScreenGround {
    /// Returns the corners of the ground under some rows and under a few pixels beside them. The first row may lie
    /// partly above the horizon, so the function tries its upper edge and then `along` positions within it.
    fileprivate func corners(of rows: ClosedRange<Int>, along: Int) -> [WorldPoint] {
        let offsets = [0] + (0..<along).map { (Double($0) + 0.5) / Double(along) }
        let far = offsets.lazy.compactMap { row(at: Double(rows.lowerBound) + $0) }.first
        guard let far, let near = row(at: Double(rows.upperBound + 1)) else { return [] }
        let (left, right) = (-2.0, Double(width + 5))
        return [far.offset(at: left), far.offset(at: right), near.offset(at: right), near.offset(at: left)]
    }
}
