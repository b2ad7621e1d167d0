import Labels
import Raster
import Tiles

/// Draws the map of the world on one tile.
struct WorldDrawing {
    private var canvas: Canvas
    private let frame: TileFrame
    private let zoom: Int
    private let style: WorldColors
    private let atlas: WorldAtlas
    private let weights: WorldWeights
    private let window: WorldWindow

    init(_ frame: TileFrame, zoom: Int, style: WorldColors) {
        self.frame = frame
        self.zoom = zoom
        self.style = style
        atlas = .suiting(zoom: zoom)
        weights = WorldWeights(zoom: zoom)
        window = WorldWindow(frame)
        canvas = Canvas(width: frame.side, height: frame.side, background: style.water)
    }

    /// Draws the sea, the land and the lakes.
    mutating func drawGround() {
        let reach = weights.shallows * frame.scale
        // Leaves out details of the coast that are finer than half of `reach`: the wide band of shallow sea hides them.
        let coast = window.outline(of: shown(atlas.land, within: reach), reach: reach, detail: reach / 2)
        canvas.stroke(coast, width: 2 * reach, color: style.shallowsColor)
        canvas.fill(window.area(of: shown(atlas.land)), rule: .evenOdd, color: style.land)
        canvas.fill(window.area(of: shown(atlas.lakes)), rule: .evenOdd, color: style.lakeColor)
    }

    /// Draws coasts and boundaries.
    mutating func drawLines() {
        let width = weights.coast * frame.scale
        canvas.stroke(
            window.outline(of: shown(atlas.land) + shown(atlas.lakes), reach: width, detail: 0.4 * frame.scale),
            width: width, color: style.coast)
        for isDisputed in [false, true] {
            let dashes = isDisputed ? weights.disputedDashes : weights.boundaryDashes
            let width = weights.boundary * frame.scale
            var path = Path()
            for line in shown(atlas.boundaries) where line.isDisputed == isDisputed && window.isNear(line.box, width) {
                path.add(line.places.map(window.local))
            }
            let style = StrokeStyle(
                width: width, join: .round, cap: dashes.isEmpty ? .round : .butt,
                dashes: dashes.map { $0 * frame.scale })
            canvas.stroke(path, style: style, color: self.style.boundary)
        }
    }

    /// Draws the names and the dots of towns.
    mutating func draw(_ names: LabelGroup) { LabelDrawing(names, frame).draw(on: &canvas) }

    /// Returns the finished picture with fewer colours. At the edges of shapes, the pixels are mixtures of the map's
    /// colours. The channels of these mixtures are rounded to multiples of eight, which is not visible. Almost all
    /// tiles then need no more than 256 colours, so a PNG with a palette can store them.
    consuming func finished() -> Pixmap {
        var pixmap = canvas.pixmap
        let plain = style.colors
        var (last, lastReduced) = (style.water, style.water)
        pixmap.bytes.withUnsafeMutableBytes { bytes in
            let pixels = bytes.bindMemory(to: RGBA.self)
            for index in pixels.indices {
                let color = pixels[index]
                if color != last { (last, lastReduced) = (color, plain.contains(color) ? color : color.reduced) }
                pixels[index] = lastReduced
            }
        }
        return pixmap
    }

    /// Returns the lines that this zoom shows and that are near the tile. `reach` is the greatest distance in pixels at
    /// which a line still colours a pixel.
    private func shown(_ lines: [WorldLine], within reach: Double = 0) -> [WorldLine] {
        let margin = max(reach, frame.scale * 4)
        return lines.filter { $0.firstZoom <= Double(zoom) && window.isNear($0.box, margin) }
    }
}

extension RGBA {
    /// The colour with its channels rounded to multiples of eight. A translucent colour stays unchanged, because its
    /// alpha has more effect than its channels.
    fileprivate var reduced: RGBA {
        func reduced(_ channel: UInt8) -> UInt8 { UInt8(min(255, (Int(channel) + 4) & ~7)) }
        return alpha < 255 ? self : RGBA(red: reduced(red), green: reduced(green), blue: reduced(blue))
    }
}

/// A layer that draws a map of the world without asking another server. The map shows land, lakes, country boundaries,
/// towns, and the names of countries and seas. Land, lakes and boundaries are data of Natural Earth (public domain):
/// for 1:110,000,000 up to zoom 2, and for 1:50,000,000 from zoom 3 on. A world of zoom 3 is 2,048 points wide.
package struct WorldLayer: LabelledLayer {
    /// The colours of the map.
    package let style: WorldColors
    /// The side of a tile, in points.
    package let tileSize: TileSize
    package var scales: ClosedRange<Int> { TileSize.scales }

    private let names: WorldLabels

    /// Creates a layer. The default colours are those of a light map.
    package init(style: WorldColors = WorldColors(), tileSize: TileSize = .standard) {
        self.style = style
        self.tileSize = tileSize
        names = WorldLabels(style: style)
    }

    package var labels: LabelSet? { style.labels ? names.group.members.first?.set : nil }

    package func tile(x: Int, y: Int, zoom: Int, scale: Int) -> SyncTile? {
        let frame = TileFrame(x: x, y: y, zoom: zoom, scale: scale, tileSize: tileSize)
        // Tiles of double size have 512 points, so their world is as large as that of the next zoom with tiles of 256.
        return .image(picture(of: frame, zoom: tileSize == .double ? zoom + 1 : zoom, hasLabels: style.labels))
    }

    package func unlabelledTile(x: Int, y: Int, zoom: Int, scale: Int) -> SyncTile? {
        let frame = TileFrame(x: x, y: y, zoom: zoom, scale: scale, tileSize: tileSize)
        return .image(picture(of: frame, zoom: tileSize == .double ? zoom + 1 : zoom, hasLabels: false))
    }

    /// Returns the map of the square of the world that `frame` describes. The world has 256 · 2^`zoom` points a side.
    func picture(of frame: TileFrame, zoom: Int, hasLabels: Bool = true) -> Pixmap {
        var drawing = WorldDrawing(frame, zoom: zoom, style: style)
        drawing.drawGround()
        drawing.drawLines()
        if hasLabels { drawing.draw(names.group) }
        return drawing.finished()
    }
}
