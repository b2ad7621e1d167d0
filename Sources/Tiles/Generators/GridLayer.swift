import Keys
import Raster
import Text
import Tiles

/// A layer that shows the borders of the tiles, for tests of a map. Each tile has a line along its border and the text
/// `z/x/y` in its middle.
package struct GridLayer: LineLayer {
    package static let name = "grid"
    package static let doc = "border and z/x/y of each tile"
    package static let standardColor = RGBA(red: 32, green: 66, blue: 128)

    private let color: RGBA
    private let background: RGBA
    private let hasLabels: Bool
    private let tileSize: TileSize

    package init(_ source: LineSource<GridLayer>, tileSize: TileSize) {
        (color, background, hasLabels) = (source.color, source.background, source.labels)
        self.tileSize = tileSize
    }

    package func tile(x: Int, y: Int, zoom: Int, scale: Int) -> SyncTile? {
        let frame = TileFrame(x: x, y: y, zoom: zoom, scale: scale, tileSize: tileSize)
        var canvas = Canvas(width: frame.side, height: frame.side, background: background)
        drawBorder(on: &canvas, frame)
        guard hasLabels else { return .image(canvas.pixmap) }
        let label = "\(zoom)/\(x)/\(y)"
        let middle = Double(frame.side) / 2
        canvas.draw(
            label, center: Point(x: middle, y: middle), font: font(for: label, frame), color: color,
            halo: Halo(color: .labelHalo(around: color), width: 2 * frame.scale))
        return .image(canvas.pixmap)
    }

    /// Draws a line of one point along the western and northern edges of the tile. The neighbouring tiles draw the
    /// other two edges, so that no line is drawn twice. A map may end at the southern and eastern edges of the world,
    /// so the tile draws these lines too.
    private func drawBorder(on canvas: inout Canvas, _ frame: TileFrame) {
        let side = Double(frame.side)
        let width = frame.lineWidth(points: 1)
        canvas.fillRectangle(left: 0, top: 0, right: side, bottom: width, color: color)
        canvas.fillRectangle(left: 0, top: width, right: width, bottom: side, color: color)
        if frame.bottom == frame.worldSide {
            canvas.fillRectangle(left: width, top: side - width, right: side, bottom: side, color: color)
        }
        if frame.right == frame.worldSide {
            canvas.fillRectangle(left: side - width, top: width, right: side, bottom: side - width, color: color)
        }
    }

    /// Returns a font of 18 points, or a smaller one if the label is wider than nine tenths of the tile.
    private func font(for label: String, _ frame: TileFrame) -> Font {
        var points = 18.0
        while points > 6 {
            let font = Font(size: points * frame.scale)
            if font.width(of: label) <= Double(frame.side) * 0.9 { return font }
            points -= 1
        }
        return Font(size: points * frame.scale)
    }
}

extension RGBA {
    /// Returns the halo's colour for text of `color`: white around dark text, black around light text.
    static func labelHalo(around color: RGBA) -> RGBA {
        // The Rec. 601 luma, computed with weights in thousandths.
        let luma = 299 * Int(color.red) + 587 * Int(color.green) + 114 * Int(color.blue)
        let level: UInt8 = luma < 140_000 ? 255 : 0
        return RGBA(red: level, green: level, blue: level, alpha: 224)
    }
}

extension GeneratorSource {
    /// Draws each tile's border and its z/x/y.
    public static func grid(color: RGBA, background: RGBA) -> GeneratorSource {
        GeneratorSource(LineSource<GridLayer>(color: color, background: background))
    }
}

/// A generator that draws lines with labels, all in one colour.
package protocol LineLayer: SyncTileLayer {
    /// The generator's name in the configuration file.
    static var name: String { get }
    /// A description of the picture, in Markdown.
    static var doc: String { get }
    /// The default colour of lines and labels.
    static var standardColor: RGBA { get }

    init(_ source: LineSource<Self>, tileSize: TileSize)
}

extension LineLayer {
    package var scales: ClosedRange<Int> { TileSize.scales }

    /// Creates a layer. `color` is the colour of lines and labels, `background` the colour behind them. With a
    /// transparent background the layer is an overlay.
    package init(
        color: RGBA = standardColor, background: RGBA = LineSource<Self>().background, tileSize: TileSize = .standard
    ) {
        self.init(LineSource(color: color, background: background), tileSize: tileSize)
    }
}

/// The settings of a generator that draws lines.
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
            Key("labels", \.labels, .boolean, "whether the labels are drawn"),
        ]
    }

    package func layer(tileSize: TileSize) -> any SyncTileLayer { Layer(self, tileSize: tileSize) }
}
