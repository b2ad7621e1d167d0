import Raster
import Keys
import Tiles

/// Squares in alternating colours; the pattern runs on from tile to tile.
package struct CheckerboardLayer: SyncTileLayer {
    /// The colours along a row; the next row begins with the next one.
    package let colors: [RGBA]
    /// Squares on each side of a tile.
    package let cells: Int
    /// Points a side.
    package let tileSize: TileSize
    package var scales: ClosedRange<Int> { TileSize.scales }

    static let cellCounts = 1...256

    /// Two light grays in eighths of a tile, unless told otherwise. `colors` needs at least one, `cells` is in
    /// `cellCounts`.
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

/// The generator `checkerboard`.
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
    /// Squares of two colours in turn, `cells` of them along a tile's edge (a power of two in 1…64).
    public static func checkerboard(first: RGBA, second: RGBA, cells: Int) -> GeneratorSource {
        var settings = CheckerboardSource()
        (settings.colors, settings.cells) = ([first, second], cells)
        return GeneratorSource(settings)
    }
}
