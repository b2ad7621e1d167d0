import Raster
import Tiles

/// One quarter of a tile that is assembled from four tiles. These four tiles are one zoom deeper and cover the same
/// area.
struct Quarter: Sendable {
    /// The deeper tile for this quarter. Nil if there is none.
    private let own: Tile?
    /// The tile with the same zoom as the assembled tile. Its quarter is enlarged if `own` is nil.
    private let whole: Tile?
    private let column: Int
    private let row: Int
    private let x: Int
    private let y: Int
    private let width: Int
    private let height: Int

    /// Makes the quarter `index`, 0…3, row by row from the north-west. `side` is the size of the assembled tile in
    /// pixels.
    init(index: Int, of side: Int, own: Tile?, whole: Tile?) {
        (column, row) = (index % 2, index / 2)
        let half = side / 2
        x = column * half
        y = row * half
        width = column == 0 ? half : side - half
        height = row == 0 ? half : side - half
        self.own = own
        self.whole = own == nil ? whole : nil
    }

    var needsWhole: Bool { whole != nil }

    /// The factor by which the source's pixels are enlarged.
    var growth: Double {
        if let own { return Self.growth(of: own, to: max(width, height)) }
        return whole.map { Self.growth(of: $0, to: 2 * max(width, height)) } ?? 1
    }

    static func growth(of tile: Tile, to side: Int) -> Double {
        Double(side) / Double(min(tile.width, tile.height))
    }

    /// Draws the quarter into its corner of `assembled`. The parameter `whole` has the decoded pixels of the property
    /// `whole`.
    func draw(onto assembled: inout Pixmap, whole: Pixmap?) throws(ImageError) {
        let pixmap: Pixmap
        if let own {
            pixmap = Resampler.scaled(try ImageDecoder.decode(own.bytes), width: width, height: height)
        } else if let whole {
            guard let region = PixelRegion(column: column, row: row, of: 2, in: whole) else { return }
            pixmap = Resampler.scaled(whole, from: region, width: width, height: height)
        } else {
            return
        }
        assembled.copy(pixmap, atX: x, y: y)
    }
}

extension PixelRegion {
    /// Makes one of `count` × `count` equal parts of `pixmap`, counted from the north-west. Nil if the part is too
    /// small to be represented.
    package init?(column: Int, row: Int, of count: Int, in pixmap: Pixmap) {
        let width = Double(pixmap.width) / Double(count)
        let height = Double(pixmap.height) / Double(count)
        self.init(x: Double(column) * width, y: Double(row) * height, width: width, height: height)
    }
}
