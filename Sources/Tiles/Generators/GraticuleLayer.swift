import MapGeometry
import Raster
import Tiles

/// Meridians and parallels, labelled with their degrees, in a spacing that suits the zoom.
package struct GraticuleLayer: LineLayer {
    package static let name = "graticule"
    package static let doc = "meridians and parallels with their degrees"
    package static let standardColor = RGBA(red: 62, green: 78, blue: 98)

    private let color: RGBA
    private let background: RGBA
    private let tileSize: TileSize

    package init(_ source: LineSource<GraticuleLayer>, tileSize: TileSize) {
        (color, background) = (source.color, source.background)
        self.tileSize = tileSize
    }

    package func tile(x: Int, y: Int, zoom: Int, scale: Int) -> SyncTile? {
        .image(picture(of: TileFrame(x: x, y: y, zoom: zoom, scale: scale, tileSize: tileSize)))
    }

    /// The graticule of any square of the world.
    func picture(of frame: TileFrame) -> Pixmap {
        var canvas = Canvas(width: frame.side, height: frame.side, background: background)
        let lines = GraticuleLines(frame)
        lines.draw(on: &canvas, color: color)
        lines.drawLabels(on: &canvas, color: color)
        return canvas.pixmap
    }
}

/// The lines and labels that can touch one tile.
private struct GraticuleLines {
    private let frame: TileFrame
    private let font: Font
    private let step: GraticuleStep
    private let meridians: ClosedRange<Int>
    private let parallels: ClosedRange<Int>
    /// Every so-manyth meridian has labels, where the coarsest step is too tight for more.
    private let stride: Int

    init(_ frame: TileFrame) {
        self.frame = frame
        let font = Font(size: 11 * frame.scale)
        self.font = font
        step = .fitting(worldSide: frame.worldSide, font: font)
        let labelWidth = step.labelWidth(font)
        let spacing = step.pixels(worldSide: frame.worldSide)
        stride = [1, 2, 3].first { Double($0) * spacing >= labelWidth + font.size * 2.5 } ?? 3
        // A label whose line lies outside may reach in; half its width and some more is looked at beyond the border.
        let margin = labelWidth + font.size
        meridians = step.lines(
            from: (frame.left - margin) / frame.worldSide * 360 - 180,
            to: (frame.right + margin) / frame.worldSide * 360 - 180)
        parallels = step.lines(
            from: Mercator.latitude(atY: min(1, (frame.bottom + margin) / frame.worldSide)),
            to: Mercator.latitude(atY: max(0, (frame.top - margin) / frame.worldSide)))
    }

    func draw(on canvas: inout Canvas, color: RGBA) {
        let width = frame.lineWidth(points: 1)
        let side = Double(frame.side)
        for line in meridians {
            let start = frame.lineStart(around: x(line), width: width) - frame.left
            canvas.fillRectangle(left: start, top: 0, right: start + width, bottom: side, color: color)
        }
        for line in parallels {
            guard let y = y(line) else { continue }
            let start = frame.lineStart(around: y, width: width) - frame.top
            canvas.fillRectangle(left: 0, top: start, right: side, bottom: start + width, color: color)
        }
    }

    /// Labels sit on their lines, midway between the crossings, so that none meets another.
    func drawLabels(on canvas: inout Canvas, color: RGBA) {
        let halo = Halo(color: .labelHalo(around: color), width: 2 * frame.scale)
        for meridian in extended(meridians) where meridian % stride == 0 {
            let name = step.label(wrapped(meridian * step.units), positive: "E", negative: "W")
            for parallel in extended(parallels) {
                if let y = y(parallel) {
                    let middle = (x(meridian) + x(meridian + stride)) / 2
                    let name = step.label(parallel * step.units, positive: "N", negative: "S")
                    draw(name, middle, y, &canvas, color, halo)
                }
                guard !isAntimeridian(meridian), let middle = middle(north: parallel) else { continue }
                draw(name, x(meridian), middle, &canvas, color, halo)
            }
        }
    }

    /// Where meridians have their labels north of a parallel, if they have: midway to the next one, or to the end of the
    /// world where that comes first and leaves room. The strip at the southern end lies north of a parallel beyond it.
    private func middle(north parallel: Int) -> Double? {
        switch (y(parallel), y(parallel + 1)) {
        case (let south?, let north?): return parallel % stride == 0 ? (south + north) / 2 : nil
        case (let south?, nil): return south > 6 * font.size ? south / 2 : nil
        case (nil, let north?):
            return frame.worldSide - north > 6 * font.size ? (frame.worldSide + north) / 2 : nil
        case (nil, nil): return nil
        }
    }

    private func draw(
        _ text: String, _ x: Double, _ y: Double, _ canvas: inout Canvas, _ color: RGBA, _ halo: Halo
    ) {
        // Whole pixels of the world first: then both tiles at a border round alike.
        let center = frame.local(x.roundedHalfUp, y.roundedHalfUp)
        let reach = font.width(of: text) / 2 + font.size
        let near = -reach...(Double(frame.side) + reach)
        guard near.contains(center.x), near.contains(center.y) else { return }
        canvas.draw(text, center: center, font: font, color: color, halo: halo)
    }

    /// As many lines more on both sides as one label's place can depend on.
    private func extended(_ lines: ClosedRange<Int>) -> ClosedRange<Int> {
        (lines.lowerBound - stride)...(lines.upperBound + stride)
    }

    private func x(_ line: Int) -> Double {
        (step.degrees(line) + 180) / 360 * frame.worldSide
    }

    /// Nil beyond the Mercator world.
    private func y(_ line: Int) -> Double? {
        let latitude = step.degrees(line)
        guard abs(latitude) < Mercator.maxLatitude, let place = Coordinate(latitude: latitude, longitude: 0) else {
            return nil
        }
        return Mercator.project(place).y * frame.worldSide
    }

    /// Half of its label would be missing on maps that end there.
    private func isAntimeridian(_ line: Int) -> Bool {
        abs(wrapped(line * step.units)) == 180 * GraticuleStep.unitsPerDegree
    }

    /// Longitudes beyond ±180 degrees, which a tile at the world's edge sees, have their usual names.
    private func wrapped(_ units: Int) -> Int {
        let turn = 360 * GraticuleStep.unitsPerDegree
        return units > turn / 2 ? units - turn : units < -turn / 2 ? units + turn : units
    }
}

extension GeneratorSource {
    /// Meridians and parallels with their degrees.
    public static func graticule(color: RGBA, background: RGBA) -> GeneratorSource {
        GeneratorSource(LineSource<GraticuleLayer>(color: color, background: background))
    }
}
