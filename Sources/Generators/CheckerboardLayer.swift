import Raster
import Tiles

/// Squares in alternating colours; the pattern runs on from tile to tile.
public struct CheckerboardLayer: SyncTileLayer {
    /// The colours along a row; the next row begins with the next one.
    public let colors: [RGBA]
    /// Squares on each side of a tile.
    public let cells: Int
    /// Points a side.
    public let tileSize: TileSize

    /// Two light grays in eighths of a tile, unless told otherwise. `colors` needs at least one, `cells` 1…256.
    public init(
        colors: [RGBA] = [RGBA(red: 255, green: 255, blue: 255), RGBA(red: 224, green: 226, blue: 230)], cells: Int = 8,
        tileSize: TileSize = .standard
    ) {
        precondition(!colors.isEmpty && (1...256).contains(cells), "a checkerboard has colours and 1…256 cells a side")
        self.colors = colors
        self.cells = cells
        self.tileSize = tileSize
    }

    public var scales: ClosedRange<Int> { 1...4 }

    public func tile(x: Int, y: Int, zoom: Int) -> SyncTile? {
        tile(x: x, y: y, zoom: zoom, scale: 1)
    }

    public func tile(x: Int, y: Int, zoom: Int, scale: Int) -> SyncTile? {
        let side = tileSize.pixels(scale: scale)
        // x, y < 2^30 and cells <= 2^8: no overflow.
        let first = (x * cells + y * cells) % colors.count
        var canvas = Canvas(width: side, height: side)
        // Edges at the pixel where floor(pixel · cells / side) changes.
        let edges = (0...cells).map { Double(($0 * side + cells - 1) / cells) }
        for row in 0..<cells {
            for column in 0..<cells {
                canvas.fillRectangle(
                    left: edges[column], top: edges[row], right: edges[column + 1], bottom: edges[row + 1],
                    color: colors[(first + row + column) % colors.count])
            }
        }
        return .image(canvas.pixmap)
    }
}
