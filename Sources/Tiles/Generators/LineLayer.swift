import Keys
import Labels
import Raster
import Tiles

/// A layer that draws lines and their labels in one colour. It needs no upstream.
package protocol LineLayer: LabelledLayer {
    /// The name of the generator in the configuration file.
    static var name: String { get }
    /// A description of the generated picture, in Markdown.
    static var doc: String { get }
    /// The default colour of lines and labels.
    static var standardColor: RGBA { get }

    /// The side of a tile in points.
    var tileSize: TileSize { get }

    init(_ source: LineSource<Self>, tileSize: TileSize)

    /// Draws the lines of the square of the world that `frame` describes, without labels.
    func lines(on frame: TileFrame) -> Canvas
}

extension LineLayer {
    package var scales: ClosedRange<Int> { TileSize.scales }

    package func tile(x: Int, y: Int, zoom: Int, scale: Int) -> SyncTile? {
        .image(picture(of: TileFrame(x: x, y: y, zoom: zoom, scale: scale, tileSize: tileSize)))
    }

    package func unlabelledTile(x: Int, y: Int, zoom: Int, scale: Int) -> SyncTile? {
        .image(lines(on: TileFrame(x: x, y: y, zoom: zoom, scale: scale, tileSize: tileSize)).pixmap)
    }

    /// Returns the picture of the square of the world that `frame` describes, with labels.
    func picture(of frame: TileFrame) -> Pixmap {
        var canvas = lines(on: frame)
        let labels = [repeatedLabels].compactMap(\.self).map { RepeatedPlacement.Layer($0) }
        LabelDrawing(nil, repeated: labels, frame).draw(on: &canvas)
        return canvas.pixmap
    }

    /// Creates a layer. `color` is the colour of lines and labels, and `background` the colour behind them. The default
    /// background is transparent, so that other layers show through.
    package init(
        color: RGBA = standardColor, background: RGBA = LineSource<Self>().background, tileSize: TileSize = .standard
    ) {
        self.init(LineSource(color: color, background: background), tileSize: tileSize)
    }
}

/// The configuration of a layer that draws lines.
package struct LineSource<Layer: LineLayer>: GeneratorSettings {
    var color = Layer.standardColor
    var background = RGBA.transparent
    var labels = true

    package init() {}

    init(color: RGBA, background: RGBA) {
        self.color = color
        self.background = background
    }

    package static var name: String { Layer.name }
    package static var drawsText: Bool { true }
    package static var doc: String { Layer.doc }
    package static var keys: [Key<LineSource>] {
        [
            Key("color", \.color, .color, "colour of lines and labels"),
            Key("background", \.background, .color, "background colour; transparent by default"),
            Key(
                "labels", \.labels, .boolean,
                "whether to draw numbers: for `graticule` the degrees at its lines, for `grid` z/x/y in each tile"),
        ]
    }

    package func layer(tileSize: TileSize) -> any SyncTileLayer { Layer(self, tileSize: tileSize) }
}
