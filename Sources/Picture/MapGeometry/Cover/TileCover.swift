/// The tiles that a view needs. The tile nearest to the target comes first. If the view shows several copies of the
/// world, the same tile can occur once per copy (docs/spec/model.md 11.1).
public struct TileCover: Hashable, Sendable {
    /// One position of a tile in the view.
    public struct Placement: Hashable, Sendable {
        /// The tile to request from a layer. The column of the tile is within the world.
        public let tile: TileCoordinate
        /// The column, counted through the copies of the world. The column is in 0..<2^z in the copy of the target,
        /// whose longitude is within ±180. The column is negative in copies to the west.
        public let rawX: Int
    }

    /// The maximum number of tiles of a view, unless the caller gives another limit.
    public static let defaultLimit = 256

    /// The finest level of the tiles, or the requested level if there are no tiles.
    public let zoom: Int
    /// The tiles in order of the distance on the Mercator map from the target to the middle of the tile. Tiles do not
    /// overlap. Distant tiles may have a coarser level.
    public let tiles: [Placement]
    /// True if the tiles cover all the visible ground. If false, the farthest tiles are missing.
    public let isComplete: Bool

    init(zoom: Int, tiles: [Placement], isComplete: Bool = true) {
        self.zoom = tiles.map { $0.tile.z }.max() ?? zoom
        self.tiles = tiles
        self.isComplete = isComplete
    }
}

extension Projection {
    /// Returns the tiles that the view needs. `tileZoom` is the wanted zoom of the tiles, clamped to 0…30. `limit` is
    /// the maximum number of tiles, clamped to 1…65,536.
    ///
    /// If there are more tiles than the limit, coarser tiles replace some of them (docs/spec/model.md ruling 3). First
    /// this happens far away, where tiles are drawn at most at half their size. Then it happens to all ground beyond
    /// the target, and then to all ground. These steps are repeated with coarser and coarser levels. If the view shows
    /// more copies of the world than the limit, only the nearest copies remain. A tile that the ground overlaps by less
    /// than 1e-9 of its side is ignored.
    public func cover(tileZoom: Int, limit: Int = TileCover.defaultLimit) -> TileCover {
        let zoom = min(max(tileZoom, 0), TileCoordinate.maxZoom)
        let limit = min(max(limit, 1), 65_536)
        let ground = ground(copies: limit + 1)
        guard !ground.isEmpty else { return TileCover(zoom: zoom, tiles: []) }
        for plan in LevelPlan.all(from: zoom) {
            var search = CoverSearch(projection: self, plan: plan, limit: limit)
            if search.run(over: ground) {
                return TileCover(zoom: zoom, tiles: sorted(search.found))
            }
        }
        var search = CoverSearch(projection: self, plan: .uniform(0), limit: .max)
        _ = search.run(over: ground)
        return TileCover(zoom: zoom, tiles: Array(sorted(search.found).prefix(limit)), isComplete: false)
    }

    /// Returns the tiles sorted by their distance from the target, nearest first. For tiles at the same distance, the
    /// order is fixed too: coarser, northern and western tiles come first.
    private func sorted(_ tiles: [TileCover.Placement]) -> [TileCover.Placement] {
        let keyed = tiles.map { placement in
            let side = 1 / Double(placement.tile.span)
            let east = (Double(placement.rawX) + 0.5) * side - target.x
            let south = (Double(placement.tile.y) + 0.5) * side - target.y
            return (distance: east * east + south * south, placement: placement)
        }
        return keyed.sorted { left, right in
            let (first, second) = (left.placement, right.placement)
            return (left.distance, first.tile.z, first.tile.y, first.rawX)
                < (right.distance, second.tile.z, second.tile.y, second.rawX)
        }.map(\.placement)
    }
}

extension MapView {
    /// Returns the level of a layer's tiles for a camera at `position`. The level follows from the map's rule for tiles
    /// of `tileSize` pixels on a screen of `scale` pixels per point. The level is at most the finest level of the
    /// layer. Returns nil if the level is below the layer's coarsest, because the layer is not drawn then
    /// (docs/spec/model.md 3.5, 11.1).
    public func tileZoom(
        of position: CameraPosition, scale: Int = 1, tileSize: Int = 256, layerZooms: ClosedRange<Int> = 0...30
    ) -> Int? {
        let zoom = rules.tileZoomRule.tileZoom(
            cameraZoom: normalized(position).position.zoom, scale: scale, tileSize: tileSize)
        return zoom < layerZooms.lowerBound ? nil : min(zoom, layerZooms.upperBound)
    }
}
