import Raster
import Keys
import Tiles

/// A generator that draws lines with labels, all of one colour.
package protocol LineLayer: SyncTileLayer {
    /// The generator's name in the file.
    static var name: String { get }
    /// What it draws, in Markdown.
    static var doc: String { get }
    /// The colour of lines and labels where none is set.
    static var standardColor: RGBA { get }

    init(_ source: LineSource<Self>, tileSize: TileSize)
}

extension LineLayer {
    package var scales: ClosedRange<Int> { TileSize.scales }

    /// `color`: of lines and labels. `background`: behind them; a transparent one makes the layer an overlay.
    package init(
        color: RGBA = standardColor, background: RGBA = LineSource<Self>().background, tileSize: TileSize = .standard
    ) {
        self.init(LineSource(color: color, background: background), tileSize: tileSize)
    }
}

/// A generator of lines, and what it draws with.
package struct LineSource<Layer: LineLayer>: GeneratorSettings {
    var color = Layer.standardColor
    var background = RGBA.transparent

    package init() {}

    init(color: RGBA, background: RGBA) {
        self.color = color
        self.background = background
    }

    package static var name: String { Layer.name }
    package static var doc: String { Layer.doc }
    package static var keys: [Key<LineSource>] {
        [
            Key("color", \.color, .color, "the colour of lines and labels"),
            Key("background", \.background, .color, "what is behind them; clear unless it is given"),
        ]
    }

    package func layer(tileSize: TileSize) -> any SyncTileLayer { Layer(self, tileSize: tileSize) }
}
