import Foundation
import MapGeometry
import Raster

/// The tiles of a layer, ready to be drawn row by row.
struct LayerDrawing: Sendable {
    private let ground: ScreenGround
    private let rule: LevelRule
    private let opacity: Float
    private let blend: BlendMode
    private let tilesOfZoom: [Int: LevelTiles]

    /// `tiles` may hold fewer tiles than the plan has, or more. Nil where `isWanted` says no.
    init?(
        _ plan: LayerPlan, tiles: [TileCoordinate: Pixmap], ground: ScreenGround, isWanted: () -> Bool
    ) {
        self.ground = ground
        rule = plan.rule
        opacity = Float(plan.layer.opacity)
        blend = plan.layer.blend
        var halvings: [Int: Int] = [:]
        for index in 0..<ground.height {
            guard let row = ground.row(at: Double(index) + 0.5) else { continue }
            for level in plan.rule.levels(of: row) where level.halvings > 0 {
                halvings[level.zoom] = max(halvings[level.zoom] ?? 0, level.halvings)
            }
        }
        var tilesOfZoom: [Int: LevelTiles] = [:]
        for cover in plan.covers {
            tilesOfZoom[cover.zoom] = LevelTiles(
                cover, tiles: tiles, tileSize: plan.layer.tileSize, halvings: halvings[cover.zoom] ?? 0,
                isWanted: isWanted)
            guard isWanted() else { return nil }
        }
        self.tilesOfZoom = tilesOfZoom
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
    private let mosaics: [TileMosaic]

    /// Nil where the cover has no tiles, or `isWanted`, which is asked before each tile, says no.
    init?(
        _ cover: LevelCover, tiles: [TileCoordinate: Pixmap], tileSize: Int, halvings: Int, isWanted: () -> Bool
    ) {
        let columns = cover.tiles.map(\.column)
        let rows = cover.tiles.map(\.row)
        guard let west = columns.min(), let east = columns.max(), let north = rows.min(), let south = rows.max() else {
            return nil
        }
        let world = 1 << cover.zoom
        let mosaic = TileMosaic(
            side: tileSize, columns: west..<min(east + 1, west + world), rows: north..<south + 1, period: world
        ) { column, row in
            let x = (cover.origin.column + column) & (world - 1)
            guard isWanted() else { return nil }
            return TileCoordinate(z: cover.zoom, x: x, y: cover.origin.row + row).flatMap { tiles[$0] }
        }
        target = cover.target
        span = Double(world)
        var mosaics = [mosaic]
        for _ in 0..<halvings {
            guard let half = mosaics[mosaics.count - 1].halved(while: isWanted) else { return nil }
            mosaics.append(half)
        }
        self.mosaics = mosaics
    }

    /// Adds what `level` gives to row `index` of an image.
    func add(_ level: Level, row index: Int, of ground: ScreenGround, to taps: inout [WarpTap]) {
        guard level.halvings < mosaics.count else { return }
        let mosaic = mosaics[level.halvings]
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
