import MapGeometry
import Raster

/// What an image of some layers needs: the tiles of each, and where they go. A value that computes and fetches nothing.
package struct RenderPlan: Sendable {
    /// The most tiles of a layer, unless told otherwise (docs/spec/model.md ruling 3).
    package static let tileLimit = 256

    /// The image's width in pixels.
    package let width: Int
    /// The image's height in pixels.
    package let height: Int
    /// Pixels for a point.
    package let scale: Int
    /// How the camera sees the world.
    package let projection: Projection
    /// The layers that were asked for, in that order.
    package let layers: [LayerPlan]
    let ground: ScreenGround

    /// An image of what `projection` shows, `scale` pixels for a point, with `layers` over one another, the lowest first.
    ///
    /// No image is refused: where a layer would need more than `tileLimit` tiles, the far ones are taken from coarser
    /// zooms, then all, and of a layer without coarser ones only the nearest are drawn.
    package init(
        projection: Projection, scale: Int = 1, layers: [RenderLayer], rule: TileZoomRule = .round,
        tileLimit: Int = RenderPlan.tileLimit
    ) {
        let ground = ScreenGround(projection, scale: max(scale, 1))
        self.ground = ground
        self.projection = projection
        self.scale = max(scale, 1)
        (width, height) = (ground.width, ground.height)
        let rows = (0..<ground.height).map { ground.row(at: Double($0) + 0.5) }
        self.layers = layers.map { layer in
            let zoom = rule.tileZoom(cameraZoom: projection.camera.zoom, scale: scale, tileSize: layer.tileSize)
            return LayerPlan(layer, zoom: zoom, ground: ground, rows: rows, limit: max(tileLimit, 1))
        }
    }

    /// The finest zoom that any layer is drawn from, for `X-Render-Tile-Zoom`; nil where no tile is needed.
    package var tileZoom: Int? { layers.compactMap(\.tileZoom).max() }
}

/// What an image needs of one layer.
package struct LayerPlan: Sendable {
    /// The layer that was asked for.
    package let layer: RenderLayer
    /// The tiles to hand in, each once, the nearest to the target first.
    package let tiles: [TileCoordinate]
    let rule: LevelRule
    /// The tiles of each zoom.
    let grids: [Int: LevelGrid]

    /// The finest zoom of the tiles; nil where there are none.
    package var tileZoom: Int? { tiles.map { $0.z }.max() }

    init(_ layer: RenderLayer, zoom: Int, ground: ScreenGround, rows: [GroundRow?], limit: Int) {
        self.layer = layer
        let deepest = min(zoom, layer.zooms.upperBound)
        var rule = LevelRule(zoom: deepest, minZoom: layer.zooms.lowerBound, tileSize: layer.tileSize)
        guard deepest >= layer.zooms.lowerBound else {
            (self.rule, grids, tiles) = (rule, [:], [])
            return
        }
        var search = LevelSearch(ground: ground, rows: rows, bounds: layer.bounds)
        while !search.find(rule, limit: limit), let coarser = rule.coarser { rule = coarser }
        self.rule = rule
        let (covers, tiles) = search.nearest(limit)
        let indices = Dictionary(uniqueKeysWithValues: zip(tiles, tiles.indices))
        self.tiles = tiles
        grids = covers.reduce(into: [:]) { grids, cover in grids[cover.zoom] = LevelGrid(cover, indices: indices) }
    }
}

/// A layer of tiles as an image wants it: which tiles there are, and how they are drawn.
package struct RenderLayer: Hashable, Sendable {
    /// Pixels along the edge of the tiles that will be handed in. With the scale of the image it says how deep the tiles
    /// are read (docs/spec/model.md 3.5): a layer that draws tiles of 512 pixels for `@2x` has 512 there, all others their own
    /// size, and are read one zoom deeper (docs/spec/model.md ruling 1).
    package let tileSize: Int
    /// The zooms of which there are tiles, within 0…30. An image that wants coarser ones leaves the layer out, one that
    /// wants finer ones magnifies the deepest.
    package let zooms: ClosedRange<Int>
    /// Where there are tiles; nil is all the world.
    package let bounds: CoordinateBounds?
    /// Multiplies the alpha of the tiles, 0…1.
    package let opacity: Double
    /// How its colours mix with those of the layers below.
    package let blend: BlendMode

    /// `tileSize` outside 1…4096, zooms outside 0…30 and an opacity outside 0…1 count as the nearest that is inside.
    package init(
        tileSize: Int = 256, zooms: ClosedRange<Int> = 0...22, bounds: CoordinateBounds? = nil, opacity: Double = 1,
        blend: BlendMode = .normal
    ) {
        self.tileSize = min(max(tileSize, 1), 4096)
        self.zooms = zooms.clamped(to: 0...TileCoordinate.maxZoom)
        self.bounds = bounds
        // In this order what is no number becomes 0.
        self.opacity = min(max(0, opacity), 1)
        self.blend = blend
    }
}
