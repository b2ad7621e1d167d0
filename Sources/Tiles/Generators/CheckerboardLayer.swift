import Raster
import Keys
import Tiles

/// A layer that draws squares in two alternating colours, like a chessboard. The pattern continues across tile borders.
package struct CheckerboardLayer: SyncTileLayer {
    /// The colours along a row. Each row begins with the second colour of the row above.
    package let colors: [RGBA]
    /// The number of squares on each side of a tile.
    package let cells: Int
    /// The side of a tile, in points.
    package let tileSize: TileSize
    package var scales: ClosedRange<Int> { TileSize.scales }

    static let cellCounts = 1...256

    /// Creates a layer. By default a tile has eight squares a side in two light colours. `colors` must not be empty,
    /// and `cells` must be in `cellCounts`.
    package init(
        colors: [RGBA] = CheckerboardSource().colors, cells: Int = CheckerboardSource().cells,
        tileSize: TileSize = .standard
    ) {
        precondition(!colors.isEmpty && Self.cellCounts.contains(cells), "no colours, or cells out of range")
        self.colors = colors
        self.cells = cells
        self.tileSize = tileSize
    }

    package func tile(x: Int, y: Int, zoom: Int, scale: Int) -> SyncTile? {
        let side = tileSize.pixels(scale: scale)
        // x and y are below 2^30 and cells is at most 2^8, so the sum cannot overflow.
        let first = (x * cells + y * cells) % colors.count
        var canvas = Canvas(width: side, height: side)
        // An edge lies at each pixel where floor(pixel · cells / side) changes.
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

/// The settings of the generator `checkerboard`.
package struct CheckerboardSource: GeneratorSettings {
    var colors = [RGBA.white, RGBA(red: 224, green: 226, blue: 230)]
    var cells = 8

    package init() {}

    package static let name = "checkerboard"
    package static let doc = "squares of two colours"
    package static let keys: [Key<CheckerboardSource>] = [
        Key(
            "colors", list: \.colors, count: 2...2, of: .color,
            "colour of the first square and colour of the second square"),
        Key("cells", \.cells, .oneOf([1, 2, 4, 8, 16, 32, 64]), "number of squares along a tile's edge"),
    ]

    package func layer(tileSize: TileSize) -> any SyncTileLayer {
        let counts = CheckerboardLayer.cellCounts
        return CheckerboardLayer(
            colors: colors, cells: min(max(cells, counts.lowerBound), counts.upperBound), tileSize: tileSize)
    }
}

extension GeneratorSource {
    /// Draws squares of two alternating colours. `cells` is the number of squares on each side of a tile, a power of
    /// two in 1…64.
    public static func checkerboard(first: RGBA, second: RGBA, cells: Int) -> GeneratorSource {
        var settings = CheckerboardSource()
        (settings.colors, settings.cells) = ([first, second], cells)
        return GeneratorSource(settings)
    }
}
