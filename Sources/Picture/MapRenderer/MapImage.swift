import MapGeometry
import Raster

/// Draws the image of a plan at once, from tiles that are all in memory.
package enum MapImage {
    /// The default background colour. The colour is visible where no tile covers the image (docs/spec/model.md 6.1).
    package static let background = RGBA(red: 0xE5, green: 0xE3, blue: 0xDF)

    /// Draws the image of `plan` like the function below, without a way to cancel it.
    package static func render(
        _ plan: RenderPlan, tiles: [[TileCoordinate: Pixmap]], background: RGBA = background, parallel: Int = 1
    ) -> Pixmap {
        draw(plan, tiles, background: background, parallel: parallel) { true }.image
    }

    /// Draws the image of `plan`. `tiles` has one dictionary per layer of the plan. The area of a missing tile shows
    /// the layers below. Tiles of another size than the layer's tile size are scaled, which needs additional memory.
    ///
    /// `parallel` is the maximum number of threads. One of them is the caller's thread, which waits for the others. The
    /// image does not depend on this number. The function needs memory for the image. Tiles that are seen from far away
    /// are also halved, which needs up to a third of their memory. A caller that does not have all tiles at once uses
    /// `MapDrawing`, which draws an identical image.
    ///
    /// The drawing threads call `isWanted` at least before each row. If it returns false, drawing stops and the result
    /// is nil. After the first false, `isWanted` must always return false.
    package static func render(
        _ plan: RenderPlan, tiles: [[TileCoordinate: Pixmap]], background: RGBA = background, parallel: Int = 1,
        isWanted: @escaping @Sendable () -> Bool
    ) -> Pixmap? {
        let drawn = draw(plan, tiles, background: background, parallel: parallel, isWanted: isWanted)
        return drawn.isWhole ? drawn.image : nil
    }

    private static func draw(
        _ plan: RenderPlan, _ tiles: [[TileCoordinate: Pixmap]], background: RGBA, parallel: Int,
        isWanted: @escaping @Sendable () -> Bool
    ) -> (image: Pixmap, isWhole: Bool) {
        let drawing = MapDrawing(plan, background: background)
        for step in RenderSchedule(plan).steps {
            var pyramids: [RenderSchedule.Tile.ID: TilePyramid] = [:]
            for tile in step.tiles.map(\.id) where tile.layer < tiles.count {
                guard let pixmap = tiles[tile.layer][tile.coordinate] else { continue }
                guard isWanted() else { return (drawing.finish(), false) }
                pyramids[tile] = TilePyramid(
                    pixmap, side: plan.layers[tile.layer].layer.tileSize, halvings: tile.halvings)
            }
            guard drawing.draw(step, tiles: pyramids, parallel: parallel, isWanted: isWanted) else {
                return (drawing.finish(), false)
            }
        }
        return (drawing.finish(), true)
    }
}
