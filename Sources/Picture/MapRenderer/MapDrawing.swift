import Dispatch
import MapGeometry
import Raster

/// An image that is drawn step by step, so that only some of its tiles are in memory at a time.
///
/// The caller creates a `RenderSchedule` of the plan and draws its steps in their order. The type is a class because it
/// owns the pixels. Thread rule: any thread, but only one at a time.
package final class MapDrawing: @unchecked Sendable {
    // Invariant behind @unchecked: a caller waits for the end of one call before it makes the next.
    private let plan: RenderPlan
    private let background: RGBA
    /// The image, or nil if it is not yet allocated or is taken out.
    private var image: Pixmap?
    /// The rows of a block that still need further layers.
    private var held: HeldRows?

    private final class HeldRows {
        var rows: WarpedRow

        init(_ rows: consuming WarpedRow) {
            self.rows = rows
        }
    }

    /// Creates a drawing of `plan` without content. The memory of the pixels is allocated later.
    package init(_ plan: RenderPlan, background: RGBA = MapImage.background) {
        self.plan = plan
        self.background = background.alpha == 0 ? .transparent : background
    }

    /// Takes the image out of `self`, so that the pixels have only one owner and are not copied on writing. The caller
    /// puts the image back, except `finish`.
    private func takeImage() -> Pixmap {
        defer { image = nil }
        return image ?? Pixmap(width: plan.width, height: plan.height, color: background)
    }

    /// Draws one step of the image from decoded tiles. Where a tile is missing, the layers below are visible.
    /// `parallel` is the maximum number of threads. A step of a block uses only one thread.
    ///
    /// Returns false if `isWanted` returns false. The image may then be incomplete and must not be used.
    package func draw(
        _ step: RenderSchedule.Step, tiles: [RenderSchedule.Tile.ID: TilePyramid], parallel: Int = 1,
        isWanted: @escaping @Sendable () -> Bool
    ) -> Bool {
        let (plan, background) = (plan, background)
        var byLayer: [Int: [TileCoordinate: TilePyramid]] = [:]
        for (id, pyramid) in tiles { byLayer[id.layer, default: [:]][id.coordinate] = pyramid }
        let layers = step.layers.compactMap { layer in
            byLayer[layer].map { LayerDrawing(plan.layers[layer], tiles: $0, ground: plan.ground) }
        }
        if let block = step.block { return lay(layers, step, block, isWanted: isWanted) }
        guard !layers.isEmpty else { return isWanted() }
        let bands = (step.rows.count + RenderSchedule.band - 1) / RenderSchedule.band
        let workers = min(max(parallel, 1), bands)
        var image = takeImage()
        defer { self.image = image }
        image.bytes.withUnsafeMutableBytes { bytes in
            // Each worker writes rows that no other worker writes.
            nonisolated(unsafe) let bytes = bytes
            let work: @Sendable (Int) -> Void = { worker in
                var row = WarpedRow(count: plan.width)
                for band in stride(from: worker, to: bands, by: workers) {
                    let first = step.rows.lowerBound + band * RenderSchedule.band
                    for index in first..<min(first + RenderSchedule.band, step.rows.upperBound) {
                        guard isWanted() else { return }
                        row.begin(background)
                        for layer in layers { layer.lay(index, on: &row) }
                        row.write(to: Self.row(index, of: bytes, plan.width))
                    }
                }
            }
            if workers == 1 { work(0) } else { DispatchQueue.concurrentPerform(iterations: workers, execute: work) }
        }
        return isWanted()
    }

    /// Draws some layers on some rows of a block. The rows of a block stay in memory until all their layers are drawn.
    /// After the last layer on the last row, the block is written to the image.
    private func lay(
        _ layers: [LayerDrawing], _ step: RenderSchedule.Step, _ block: Range<Int>, isWanted: () -> Bool
    ) -> Bool {
        let held = held ?? begin(block)
        self.held = held
        for index in step.rows where !layers.isEmpty {
            guard isWanted() else { return false }
            held.rows.select(index - block.lowerBound)
            for layer in layers { layer.lay(index, on: &held.rows) }
        }
        guard step.layers.upperBound == plan.layers.count, step.rows.upperBound == block.upperBound else {
            return isWanted()
        }
        var image = takeImage()
        defer { self.image = image }
        image.bytes.withUnsafeMutableBytes { bytes in
            for index in block {
                held.rows.select(index - block.lowerBound)
                held.rows.write(to: Self.row(index, of: bytes, plan.width))
            }
        }
        self.held = nil
        return isWanted()
    }

    private func begin(_ block: Range<Int>) -> HeldRows {
        let held = HeldRows(WarpedRow(count: plan.width, rows: block.count))
        for index in 0..<block.count {
            held.rows.select(index)
            held.rows.begin(background)
        }
        return held
    }

    private static func row(
        _ index: Int, of bytes: UnsafeMutableRawBufferPointer, _ width: Int
    ) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: bytes[(index * width * 4)...].prefix(width * 4))
    }

    /// Returns the image. The drawing must not be used any more after this call.
    package func finish() -> Pixmap { takeImage() }
}

/// The tiles of a layer, prepared for drawing row by row.
struct LayerDrawing: Sendable {
    private let ground: ScreenGround
    private let rule: LevelRule
    private let opacity: Float
    private let blend: BlendMode
    private let tilesOfZoom: [Int: LevelTiles]

    /// Creates a drawing of a layer. `tiles` may contain fewer tiles than the plan, or more.
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

/// The tiles of one zoom, at each number of halvings that the image needs.
struct LevelTiles: Sendable {
    /// The position of the target, in tiles from the target's tile.
    private let target: WorldPoint
    /// The number of tiles around the world.
    private let span: Double
    /// The mosaics by the number of halvings. An entry is nil if there are no tiles with this number of halvings.
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

    /// Adds to `taps` the samples that row `index` of the image takes from the tiles of `level`.
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
