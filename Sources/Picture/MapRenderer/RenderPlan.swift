import MapGeometry
import Raster

/// The plan of an image. It says which tiles of each layer the image needs, and where they are drawn. Creating a plan
/// neither draws nor fetches anything.
package struct RenderPlan: Sendable {
    /// The default maximum number of tiles per layer (docs/spec/model.md ruling 3).
    package static let tileLimit = 256

    /// The image's width in pixels.
    package let width: Int
    /// The image's height in pixels.
    package let height: Int
    /// The number of pixels per point.
    package let scale: Int
    /// The projection of the camera.
    package let projection: Projection
    /// The plans of the requested layers, in the order of the request.
    package let layers: [LayerPlan]
    let ground: ScreenGround

    /// Plans an image of the view of `projection` with `scale` pixels per point. `layers` are in drawing order, the
    /// lowest first.
    ///
    /// A plan is possible for every view. If a layer needs more than `tileLimit` tiles, coarser tiles replace some of
    /// them, first far from the camera and then everywhere. If the layer has no coarser tiles, only the nearest tiles
    /// are drawn.
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

    /// The finest zoom that any layer is drawn from, for the header field `X-Render-Tile-Zoom`. Nil if no tile is
    /// needed.
    package var tileZoom: Int? { layers.compactMap(\.tileZoom).max() }
}

/// The tiles that an image needs from one layer.
package struct LayerPlan: Sendable {
    /// The requested layer.
    package let layer: RenderLayer
    /// The tiles that the caller must supply, without repetition, sorted by their distance from the target, nearest
    /// first.
    package let tiles: [TileCoordinate]
    let rule: LevelRule
    /// The drawn tiles by their zoom.
    let grids: [Int: LevelGrid]

    /// The finest zoom of the tiles, or nil if there are no tiles.
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

/// A layer of an image: the tiles that exist, and the way to draw them.
package struct RenderLayer: Hashable, Sendable {
    /// The side of the supplied tiles in pixels. Together with the scale of the image, it determines the zoom of the
    /// tiles (docs/spec/model.md 3.5). For `@2x`, a layer that draws tiles of 512 pixels has 512 here. Any other layer
    /// has its own tile size here, and its tiles then come from one zoom deeper (docs/spec/model.md ruling 1).
    package let tileSize: Int
    /// The zooms at which the layer has tiles, within 0…30. An image that needs coarser tiles is drawn without the
    /// layer. An image that needs finer tiles magnifies the deepest tiles.
    package let zooms: ClosedRange<Int>
    /// The area in which the layer has tiles, or nil for the whole world.
    package let bounds: CoordinateBounds?
    /// The factor for the alpha of the tiles, in 0…1.
    package let opacity: Double
    /// The blend mode for the layer's colours and the layers below.
    package let blend: BlendMode

    /// Creates a layer. `tileSize` is clamped to 1…4096, `zooms` to 0…30 and `opacity` to 0…1.
    package init(
        tileSize: Int = 256, zooms: ClosedRange<Int> = 0...22, bounds: CoordinateBounds? = nil, opacity: Double = 1,
        blend: BlendMode = .normal
    ) {
        self.tileSize = min(max(tileSize, 1), 4096)
        self.zooms = zooms.clamped(to: 0...TileCoordinate.maxZoom)
        self.bounds = bounds
        // In this order of operands, NaN becomes 0.
        self.opacity = min(max(0, opacity), 1)
        self.blend = blend
    }
}
