/// The tiles that a view needs, the one nearest to the target first, in one copy of the world each (docs/spec/model.md 11.1).
public struct TileCover: Hashable, Sendable {
    /// One place of a tile in the view.
    public struct Placement: Hashable, Sendable {
        /// What to ask a layer for; its column is within the world.
        public let tile: TileCoordinate
        /// The column counted on through the copies of the world: 0..<2^z in the copy of the target, whose longitude is
        /// within ±180, negative to the west of it.
        public let rawX: Int
    }

    /// The most tiles that a view is drawn with.
    public static let defaultLimit = 256

    /// The finest level of the tiles; what was asked for if there are none.
    public let zoom: Int
    /// By the distance on the ground from the target to the tile's middle. They overlap nowhere; they may be of several
    /// levels, coarser in the distance.
    public let tiles: [Placement]
    /// Whether the tiles cover all the ground that is seen. If not, the farthest is missing.
    public let isComplete: Bool

    init(zoom: Int, tiles: [Placement], isComplete: Bool = true) {
        self.zoom = tiles.map { $0.tile.z }.max() ?? zoom
        self.tiles = tiles
        self.isComplete = isComplete
    }
}

extension Projection {
    /// The tiles of level `tileZoom`, clamped to 0…30, that the view needs, at most `limit`, clamped to 1…65,536.
    ///
    /// What overlaps a tile by less than 1e-9 of its side touches it only. Past the limit, coarser tiles stand in: first
    /// far away, where they are drawn smaller than half their size, then beyond the target, then everywhere one level
    /// after the other (docs/spec/model.md ruling 3). If the world repeats more often than the limit, the nearest copies remain.
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

    /// Nearest to the target first; what is equally near, coarser, northern and western first.
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
    /// The level of a layer's tiles for `position`: by the map's rule for tiles of `tileSize` pixels on a screen of
    /// `scale` pixels a point, and no finer than the layer has. Nil if the layer has none so coarse, and is not drawn
    /// (docs/spec/model.md 3.5, 11.1).
    public func tileZoom(
        of position: CameraPosition, scale: Int = 1, tileSize: Int = 256, layerZooms: ClosedRange<Int> = 0...30
    ) -> Int? {
        let zoom = rules.tileZoomRule.tileZoom(
            cameraZoom: normalized(position).position.zoom, scale: scale, tileSize: tileSize)
        return zoom < layerZooms.lowerBound ? nil : min(zoom, layerZooms.upperBound)
    }
}
