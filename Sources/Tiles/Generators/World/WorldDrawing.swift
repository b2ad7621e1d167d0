import Raster
import Tiles

/// The map on one tile.
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

    /// Sea, land and lakes.
    mutating func drawGround() {
        let reach = weights.shallows * frame.scale
        // A band hides what is much finer than itself.
        let coast = window.outline(of: shown(atlas.land), reach: reach, detail: reach / 2)
        canvas.stroke(coast, width: 2 * reach, color: style.shallowsColor)
        canvas.fill(window.area(of: shown(atlas.land)), rule: .evenOdd, color: style.land)
        canvas.fill(window.area(of: shown(atlas.lakes)), rule: .evenOdd, color: style.lakeColor)
    }

    /// Coasts and boundaries.
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

    /// Names first: no rim covers a dot.
    mutating func draw(_ names: WorldLabels.Names) {
        for label in names.seas {
            for center in centers(label.sea.x, label.sea.y, label.box) { drawName(of: label, center) }
        }
        let visible = names.towns.flatMap { label in
            centers(label.town.x, label.town.y, label.box).map { (label, $0) }
        }
        for (label, center) in visible { drawName(of: label, center) }
        for (label, center) in visible { drawDot(of: label.town, center) }
    }

    /// Where a place of the grid is seen on the tile with the box around it, in points: a name may reach over the edge of
    /// the world, into the tiles of the other side.
    private func centers(_ x: Double, _ y: Double, _ box: WorldBox) -> [Point] {
        let place = window.local(x, y)
        return [-frame.worldSide, 0, frame.worldSide].map { Point(x: place.x + $0, y: place.y) }
            .filter { box.reaches(canvasOf: frame, from: $0) }
    }

    private mutating func drawName(of label: WorldSeaLabel, _ center: Point) {
        let font = Font(size: label.textSize * frame.scale)
        for (letter, place) in label.letters(font) {
            canvas.draw(
                letter, at: Point(x: center.x + place.x, y: center.y + place.y), font: font, color: style.seaName)
        }
    }

    private mutating func drawName(of label: WorldLabel, _ center: Point) {
        let font = Font(size: label.textSize * frame.scale)
        let offset = label.origin(font: font, scale: frame.scale)
        canvas.draw(
            label.town.name, at: Point(x: center.x + offset.x, y: center.y + offset.y), font: font, color: style.text,
            halo: Halo(color: style.haloColor, width: 1.5 * frame.scale))
    }

    /// A dot, and in capitals a ring around a smaller one.
    private mutating func drawDot(of town: WorldTown, _ center: Point) {
        let size = WorldWeights.dotSize(rank: town.rank) * frame.scale
        // A round pen that does not move.
        let dot = Path([center])
        canvas.stroke(dot, width: size + 2 * frame.scale, color: style.haloColor)
        canvas.stroke(dot, width: size, color: style.place)
        guard town.isCapital else { return }
        canvas.stroke(dot, width: size - 2 * frame.scale, color: style.land)
        canvas.stroke(dot, width: size - 3.4 * frame.scale, color: style.place)
    }

    /// The picture, in few colours: where shapes blend, channels are rounded to multiples of eight, which is not seen,
    /// and hardly a tile needs more than the 256 colours of a palette.
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

    private func shown(_ lines: [WorldLine]) -> [WorldLine] {
        lines.filter { $0.firstZoom <= Double(zoom) && window.isNear($0.box, frame.scale * 4) }
    }
}

extension RGBA {
    /// Opaque colours only: in others, alpha says more than the channels.
    fileprivate var reduced: RGBA {
        func reduced(_ channel: UInt8) -> UInt8 { UInt8(min(255, (Int(channel) + 4) & ~7)) }
        return alpha < 255 ? self : RGBA(red: reduced(red), green: reduced(green), blue: reduced(blue))
    }
}

/// A map of the world without any other server: land, lakes, country boundaries and major towns of Natural Earth
/// (public domain), of 1:110m at small zooms and 1:50m from zoom 3 on.
package struct WorldLayer: SyncTileLayer {
    /// The colours.
    package let style: WorldColors
    /// Points a side.
    package let tileSize: TileSize
    package var scales: ClosedRange<Int> { TileSize.scales }

    private let labels = WorldLabels()

    /// A light map, unless told otherwise.
    package init(style: WorldColors = WorldColors(), tileSize: TileSize = .standard) {
        self.style = style
        self.tileSize = tileSize
    }

    package func tile(x: Int, y: Int, zoom: Int, scale: Int) -> SyncTile? {
        let frame = TileFrame(x: x, y: y, zoom: zoom, scale: scale, tileSize: tileSize)
        // A world of larger tiles has the points of a deeper zoom.
        return .image(picture(of: frame, zoom: tileSize == .double ? zoom + 1 : zoom))
    }

    /// The map of any square of the world of 256 · 2^`zoom` points.
    func picture(of frame: TileFrame, zoom: Int) -> Pixmap {
        var drawing = WorldDrawing(frame, zoom: zoom, style: style)
        drawing.drawGround()
        drawing.drawLines()
        drawing.draw(labels.names(zoom: zoom))
        return drawing.finished()
    }
}
