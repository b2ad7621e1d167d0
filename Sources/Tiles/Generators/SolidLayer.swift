import Raster
import Keys
import Tiles

/// A layer whose tiles are completely filled with one colour.
package struct SolidLayer: SyncTileLayer {
    /// The colour of every pixel.
    package let color: RGBA
    /// The side of a tile, in points.
    package let tileSize: TileSize
    package var scales: ClosedRange<Int> { TileSize.scales }

    /// Creates a layer. `color` may be translucent.
    package init(color: RGBA, tileSize: TileSize = .standard) {
        self.color = color
        self.tileSize = tileSize
    }

    package func tile(x: Int, y: Int, zoom: Int, scale: Int) -> SyncTile? {
        let side = tileSize.pixels(scale: scale)
        return .image(Pixmap(width: side, height: side, color: color))
    }
}

/// The settings of the generator `solid`.
package struct SolidSource: GeneratorSettings {
    var color = RGBA.gray

    package init() {}

    package static let name = "solid"
    package static let doc = "one colour"
    package static let keys: [Key<SolidSource>] = [
        Key("color", \.color, .color, "colour; may be translucent")
    ]

    package func layer(tileSize: TileSize) -> any SyncTileLayer { SolidLayer(color: color, tileSize: tileSize) }
}

extension GeneratorSource {
    /// Draws one colour everywhere.
    public static func solid(color: RGBA) -> GeneratorSource {
        var settings = SolidSource()
        settings.color = color
        return GeneratorSource(settings)
    }
}
