import Raster
import Tiles

/// A map of the world without any other server: land, lakes, country boundaries and major towns of Natural Earth
/// (public domain), of 1:110m at small zooms and 1:50m from zoom 3 on.
package struct WorldLayer: SyncTileLayer {
    /// The colours.
    package let style: WorldColors
    /// Points a side.
    package let tileSize: TileSize
    package var scales: ClosedRange<Int> { TileSize.scales }

    private let labels = WorldLabels()

    /// A light map, unless told otherwise.
    package init(style: WorldColors = WorldColors(), tileSize: TileSize = .standard) {
        self.style = style
        self.tileSize = tileSize
    }

    package func tile(x: Int, y: Int, zoom: Int, scale: Int) -> SyncTile? {
        let frame = TileFrame(x: x, y: y, zoom: zoom, scale: scale, tileSize: tileSize)
        // A world of larger tiles has the points of a deeper zoom.
        return .image(picture(of: frame, zoom: tileSize == .double ? zoom + 1 : zoom))
    }

    /// The map of any square of the world of 256 · 2^`zoom` points.
    func picture(of frame: TileFrame, zoom: Int) -> Pixmap {
        var drawing = WorldDrawing(frame, zoom: zoom, style: style)
        drawing.drawGround()
        drawing.drawLines()
        drawing.draw(labels.names(zoom: zoom))
        return drawing.finished()
    }
}
