import Raster
import Keys
import Tiles

/// A layer like the sample of the Maps SDK. It has a picture in every odd column, and no tile in the even columns
/// (docs/spec/model.md 3.2).
package struct OddColumnsLayer: SyncTileLayer {
    /// The side of a tile, in points.
    package let tileSize: TileSize
    package var scales: ClosedRange<Int> { TileSize.scales }

    package init(tileSize: TileSize = .standard) {
        self.tileSize = tileSize
    }

    package func tile(x: Int, y: Int, zoom: Int, scale: Int) -> SyncTile? {
        guard x % 2 != 0 else { return .noTile }
        return .image(IslandPicture(side: tileSize.pixels(scale: scale)).pixmap())
    }
}

/// The settings of the generator `oddColumns`.
package struct OddColumnsSource: GeneratorSettings {
    package init() {}

    package static let name = "oddColumns"
    package static let drawsText = true
    package static let doc = "an island in every odd column, no tile in even columns"
    package static let keys: [Key<OddColumnsSource>] = []

    package func layer(tileSize: TileSize) -> any SyncTileLayer { OddColumnsLayer(tileSize: tileSize) }
}

extension GeneratorSource {
    /// Draws a picture in every odd column and no tile in the even columns, as the sample of the Maps SDK does.
    public static var oddColumns: GeneratorSource { GeneratorSource(OddColumnsSource()) }
}
