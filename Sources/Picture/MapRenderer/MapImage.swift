import MapGeometry
import Raster

/// Draws the images that plans describe.
package enum MapImage {
    /// What shows where no tile is, unless told otherwise: docs/spec/model.md 6.1.
    package static let background = RGBA(red: 0xE5, green: 0xE3, blue: 0xDF)

    /// As the other, of which nobody leaves before it is done.
    package static func render(
        _ plan: RenderPlan, tiles: [[TileCoordinate: Pixmap]], background: RGBA = background, parallel: Int = 1
    ) -> Pixmap {
        draw(plan, tiles, background, parallel) { true }.image
    }

    /// The image of `plan`, with `tiles` for each of its layers in turn; where one is missing, nothing is drawn. Tiles of
    /// another size than their layer's are scaled, which takes memory for them.
    ///
    /// Computes on as many threads as `parallel` says, one of them the caller's, which waits for the others; the image is
    /// the same however many they are. Takes memory for the image, and a third of their own for tiles that are seen from
    /// so far away that their layer has none coarse enough. Who has not all tiles in hand draws by a `MapDrawing`, whose
    /// image is the same.
    ///
    /// `isWanted` is asked before each row, on whichever thread draws it; where it says no, and it must then keep to that, no
    /// further row is drawn and there is no image.
    package static func render(
        _ plan: RenderPlan, tiles: [[TileCoordinate: Pixmap]], background: RGBA = background, parallel: Int = 1,
        isWanted: @escaping @Sendable () -> Bool
    ) -> Pixmap? {
        let drawn = draw(plan, tiles, background, parallel, isWanted)
        return drawn.isWhole ? drawn.image : nil
    }

    private static func draw(
        _ plan: RenderPlan, _ tiles: [[TileCoordinate: Pixmap]], _ background: RGBA, _ parallel: Int,
        _ isWanted: @escaping @Sendable () -> Bool
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
