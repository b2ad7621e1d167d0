/// Which level of tiles to draw how far away.
enum LevelPlan: Hashable {
    /// One level everywhere.
    case uniform(Int)
    /// This level near by, and a level less for each doubling of the depth beyond the target's.
    case coarserWhereSmall(Int)
    /// As `coarserWhereSmall`, and everything beyond the target another level less.
    case coarserBeyondTarget(Int)

    /// All that can be tried for `zoom`, each with fewer tiles than the one before.
    static func all(from zoom: Int) -> [LevelPlan] {
        [.uniform(zoom)]
            + (0...zoom).reversed().flatMap { [LevelPlan.coarserWhereSmall($0), .coarserBeyondTarget($0)] }
    }

    /// The level for ground whose nearest part is `depth` times as far from the camera's plane as the target.
    func level(atDepth depth: Double) -> Int {
        switch self {
        case .uniform(let zoom): zoom
        case .coarserWhereSmall(let zoom): depth < 2 ? zoom : max(0, zoom - Self.doublings(depth))
        case .coarserBeyondTarget(let zoom): depth <= 1 ? zoom : max(0, zoom - Self.doublings(depth) - 1)
        }
    }

    /// How often 1 doubles before it exceeds `depth`, which is at least 1.
    private static func doublings(_ depth: Double) -> Int {
        depth.isFinite ? Int(depth.exponent) : TileCoordinate.maxZoom
    }
}
