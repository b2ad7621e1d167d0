import Dispatch
import MapGeometry
import Raster

/// Draws the images that plans describe.
package enum MapImage {
    /// What shows where no tile is, unless told otherwise: docs/spec/model.md 6.1.
    package static let background = RGBA(red: 0xE5, green: 0xE3, blue: 0xDF)

    /// Rows that are computed together.
    private static let band = 16

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
    /// so far away that their layer has none coarse enough.
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
        let background = background.alpha == 0 ? .transparent : background
        var image = Pixmap(width: plan.width, height: plan.height, color: background)
        var layers: [LayerDrawing] = []
        for (layer, tiles) in zip(plan.layers, tiles) where !tiles.isEmpty && layer.layer.opacity > 0 {
            guard let drawing = LayerDrawing(layer, tiles: tiles, ground: plan.ground, isWanted: isWanted) else {
                return (image, false)
            }
            layers.append(drawing)
        }
        guard !layers.isEmpty else { return (image, true) }
        let bands = (plan.height + band - 1) / band
        let workers = min(max(parallel, 1), bands)
        image.bytes.withUnsafeMutableBytes { bytes in
            // Each worker writes rows that no other does.
            nonisolated(unsafe) let bytes = bytes
            let layers = layers
            let work: @Sendable (Int) -> Void = { worker in
                var row = WarpedRow(count: plan.width)
                for band in stride(from: worker, to: bands, by: workers) {
                    for index in (band * Self.band)..<min((band + 1) * Self.band, plan.height) {
                        guard isWanted() else { return }
                        row.begin(background)
                        for layer in layers { layer.lay(index, on: &row) }
                        row.write(
                            to: UnsafeMutableRawBufferPointer(
                                rebasing: bytes[(index * plan.width * 4)...].prefix(plan.width * 4)))
                    }
                }
            }
            if workers == 1 { work(0) } else { DispatchQueue.concurrentPerform(iterations: workers, execute: work) }
        }
        return (image, isWanted())
    }
}
