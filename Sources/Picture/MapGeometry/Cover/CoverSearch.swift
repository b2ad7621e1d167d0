/// Finds the tiles that cover the visible ground. The search starts with the single tile of zoom 0 in each visible copy
/// of the world. Each tile is divided into four until its level is fine enough for its distance from the camera. The
/// plan decides which level that is.
struct CoverSearch {
    /// The fraction of a tile's side below which an overlap counts as a mere touch (docs/spec/model.md ruling 17).
    private static let touch = 1e-9

    let projection: Projection
    let plan: LevelPlan
    let limit: Int
    private(set) var found: [TileCover.Placement] = []

    /// Finds the tiles over `ground`, which must lie within the world's y. Returns false as soon as the number of tiles
    /// exceeds the limit.
    mutating func run(over ground: GroundPolygon) -> Bool {
        let xs = ground.xs
        guard xs.low.isFinite, xs.high.isFinite else { return true }
        // `Projection.ground(copies:)` limits the number of world copies, so these integers are small.
        for copy in Int(xs.low.rounded(.down))...Int(xs.high.rounded(.up)) {
            let part = ground.clipped(xFrom: Double(copy), to: Double(copy) + 1)
            guard visit(part, z: 0, x: copy, y: 0) else { return false }
        }
        return true
    }

    /// Adds the tile z, x, y to the result, or divides it and visits its four parts. A tile that the ground only
    /// touches is left out. `ground` is the part of the visible ground inside this tile. Returns false if there are too
    /// many tiles.
    private mutating func visit(_ ground: GroundPolygon, z: Int, x: Int, y: Int) -> Bool {
        let side = 1 / Double(1 << z)
        guard isNeeded(ground, side: side) else { return true }
        if z >= plan.level(atDepth: nearestDepth(of: ground)) {
            guard found.count < limit else { return false }
            guard let tile = TileCoordinate(z: z, x: x & ((1 << z) - 1), y: y) else { return true }
            found.append(TileCover.Placement(tile: tile, rawX: x))
            return true
        }
        let half = side / 2
        for row in 2 * y...2 * y + 1 {
            let strip = ground.clipped(yFrom: Double(row) * half, to: Double(row + 1) * half)
            for column in 2 * x...2 * x + 1 {
                let part = strip.clipped(xFrom: Double(column) * half, to: Double(column + 1) * half)
                guard visit(part, z: z + 1, x: column, y: row) else { return false }
            }
        }
        return true
    }

    private func isNeeded(_ ground: GroundPolygon, side: Double) -> Bool {
        guard !ground.isEmpty else { return false }
        let (xs, ys) = (ground.xs, ground.ys)
        return xs.high - xs.low > Self.touch * side && ys.high - ys.low > Self.touch * side
    }

    /// Returns the least depth of `ground` as a multiple of the target's depth. Depth is linear, so the least depth is
    /// at a corner.
    private func nearestDepth(of ground: GroundPolygon) -> Double {
        ground.corners.reduce(.infinity) { least, corner in
            let offset = WorldPoint(x: corner.x - projection.target.x, y: corner.y - projection.target.y)
            return min(least, projection.depth(down: projection.ground(atOffset: offset).down) / projection.distance)
        }
    }
}
