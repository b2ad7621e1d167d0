import Raster
import Testing
import Tiles

/// Checks that every picture of the world must pass, whatever it shows. The squares are small because drawing in
/// debug builds is slow.
package enum Seams {
    /// Squares of 64 pixels in worlds of several zooms and scales. Each entry has the zoom of the world's pixels and
    /// the square's corner as a fraction of the world.
    package static let squares: [TileFrame] = [
        (zoom: 0, x: 0.25, y: 0.5, points: 256), (2, 0.75, 0, 512), (8, 0.3, 0.4, 768), (16, 0.1, 0.9, 256),
        (30, 0.6, 0.2, 1_024),
    ].map { (zoom: Int, x: Double, y: Double, points: Double) in
        let worldSide = Double(1 << zoom) * points
        return TileFrame(
            left: (x * worldSide / 64).rounded(.down) * 64, top: (y * worldSide / 64).rounded(.down) * 64, side: 64,
            scale: 1, worldSide: worldSide)
    }

    /// Draws the four quarters of a square separately, and checks that together they equal the whole picture. Seams
    /// would appear if a pixel depended on the tile that contains it.
    package static func quartersMakeUp(_ square: TileFrame, _ picture: (TileFrame) throws -> Pixmap) rethrows {
        let whole = try picture(square)
        for (column, row) in [(0, 0), (32, 0), (0, 32), (32, 32)] {
            let quarter = try picture(
                TileFrame(
                    left: square.left + Double(column), top: square.top + Double(row), side: 32, scale: 1,
                    worldSide: square.worldSide))
            #expect(quarter == whole.part(left: column, top: row, side: 32))
        }
    }

    /// Draws the first tile of zoom 0 and the last tile of zoom 30. Checks that drawing does not trap and that the
    /// pictures have the right size.
    package static func drawsEverywhere(_ layer: any SyncTileLayer, points: Int, scale: Int = 1) throws {
        #expect(layer.scales == 1...4)
        let last = (1 << 30) - 1
        for (zoom, x, y) in [(0, 0, 0), (30, last, last)] {
            let pixmap = try image(layer.tile(x: x, y: y, zoom: zoom, scale: scale))
            #expect(pixmap.width == points * scale && pixmap.height == pixmap.width)
        }
    }
}
