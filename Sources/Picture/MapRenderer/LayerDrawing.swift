import MapGeometry
import Raster

/// The tiles of a layer, ready to be drawn row by row.
struct LayerDrawing: Sendable {
    private let ground: ScreenGround
    private let rule: LevelRule
    private let opacity: Float
    private let blend: BlendMode
    private let tilesOfZoom: [Int: LevelTiles]

    /// `tiles` may hold fewer tiles than the plan has, or more.
    init(_ plan: LayerPlan, tiles: [TileCoordinate: TilePyramid], ground: ScreenGround) {
        self.ground = ground
        rule = plan.rule
        opacity = Float(plan.layer.opacity)
        blend = plan.layer.blend
        tilesOfZoom = plan.grids.mapValues { LevelTiles($0, tiles: tiles, tileSize: plan.layer.tileSize) }
    }

    /// Lays the layer over row `index` of the image.
    func lay(_ index: Int, on row: inout WarpedRow) {
        guard let middle = ground.row(at: Double(index) + 0.5) else { return }
        var taps: [WarpTap] = []
        for level in rule.levels(of: middle) {
            tilesOfZoom[level.zoom]?.add(level, row: index, of: ground, to: &taps)
        }
        if !taps.isEmpty { row.lay(taps, opacity: opacity, blend: blend) }
    }
}

/// The tiles of one zoom, at their own size and halved as often as is needed.
struct LevelTiles: Sendable {
    /// Where the target is, in tiles.
    private let target: WorldPoint
    /// Tiles around the world.
    private let span: Double
    /// By how often tiles are halved; nil where there are none.
    private let mosaics: [TileMosaic?]

    init(_ grid: LevelGrid, tiles: [TileCoordinate: TilePyramid], tileSize: Int) {
        var placed: [[(column: Int, row: Int, tile: MosaicTile)]] = []
        for gridTile in grid.tiles {
            guard let pyramid = tiles[gridTile.coordinate] else { continue }
            for (halvings, tile) in pyramid.levels.enumerated() {
                if placed.count <= halvings { placed.append([]) }
                if let tile { placed[halvings].append((gridTile.column, gridTile.row, tile)) }
            }
        }
        mosaics = placed.enumerated().map { halvings, tiles in
            guard !tiles.isEmpty else { return nil }
            return TileMosaic(
                side: tileSize >> halvings, columns: grid.columns, rows: grid.rows, period: grid.world, tiles: tiles)
        }
        target = grid.target
        span = Double(grid.world)
    }

    /// Adds what `level` gives to row `index` of an image.
    func add(_ level: Level, row index: Int, of ground: ScreenGround, to taps: inout [WarpTap]) {
        guard level.halvings < mosaics.count, let mosaic = mosaics[level.halvings] else { return }
        let texels = span * Double(mosaic.side)
        let count = level.across * level.along
        for along in 0..<level.along {
            let place = (Double(along) + 0.5) / Double(level.along)
            guard let row = ground.row(at: Double(index) + place) else { continue }
            for across in 0..<level.across {
                let number = along * level.across + across
                let weight = level.weight * (number + 1) / count - level.weight * number / count
                let start = row.offset(at: (Double(across) + 0.5) / Double(level.across))
                let line = TexelLine(
                    x: target.x * Double(mosaic.side) + start.x * texels,
                    y: target.y * Double(mosaic.side) + start.y * texels,
                    stepX: row.step.x * texels, stepY: row.step.y * texels, count: ground.width)
                if weight > 0, let line { taps.append(WarpTap(mosaic: mosaic, line: line, weight: weight)) }
            }
        }
    }
}
