/// Decides which level (zoom) the tiles have at each distance from the camera. If a view needs too many tiles, the next
/// plan with coarser tiles is tried.
enum LevelPlan: Hashable {
    /// One level everywhere.
    case uniform(Int)
    /// Uses this level near the camera, and one level less for each doubling of the depth beyond the target's depth.
    case coarserWhereSmall(Int)
    /// Works like `coarserWhereSmall`, with one level less for all ground beyond the target.
    case coarserBeyondTarget(Int)

    /// Returns all plans to try for `zoom`, in order. No plan needs more tiles than the plan before.
    static func all(from zoom: Int) -> [LevelPlan] {
        [.uniform(zoom)]
            + (0...zoom).reversed().flatMap { [LevelPlan.coarserWhereSmall($0), .coarserBeyondTarget($0)] }
    }

    /// Returns the level for a piece of ground. `depth` is the depth of the nearest part of the ground as a multiple of
    /// the target's depth.
    func level(atDepth depth: Double) -> Int {
        switch self {
        case .uniform(let zoom): zoom
        case .coarserWhereSmall(let zoom): depth < 2 ? zoom : max(0, zoom - Self.doublings(depth))
        case .coarserBeyondTarget(let zoom): depth <= 1 ? zoom : max(0, zoom - Self.doublings(depth) - 1)
        }
    }

    /// Returns the number of times that 1 can be doubled without exceeding `depth`, which must be at least 1.
    private static func doublings(_ depth: Double) -> Int {
        depth.isFinite ? Int(depth.exponent) : TileCoordinate.maxZoom
    }
}
