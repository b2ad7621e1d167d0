import MapGeometry
import Raster
import Text
import Tiles

/// A layer that draws meridians and parallels, and labels them with their degrees. At deeper zooms, the lines are
/// closer together in degrees.
package struct GraticuleLayer: LineLayer {
    package static let name = "graticule"
    package static let doc = "meridians and parallels with their degrees"
    package static let standardColor = RGBA(red: 62, green: 78, blue: 98)

    private let color: RGBA
    private let background: RGBA
    private let hasLabels: Bool
    private let tileSize: TileSize

    package init(_ source: LineSource<GraticuleLayer>, tileSize: TileSize) {
        (color, background, hasLabels) = (source.color, source.background, source.labels)
        self.tileSize = tileSize
    }

    package func tile(x: Int, y: Int, zoom: Int, scale: Int) -> SyncTile? {
        .image(picture(of: TileFrame(x: x, y: y, zoom: zoom, scale: scale, tileSize: tileSize)))
    }

    /// Returns the graticule of any square of the world.
    func picture(of frame: TileFrame) -> Pixmap {
        var canvas = Canvas(width: frame.side, height: frame.side, background: background)
        let lines = GraticuleLines(frame)
        lines.draw(on: &canvas, color: color)
        if hasLabels { lines.drawLabels(on: &canvas, color: color) }
        return canvas.pixmap
    }
}

/// The meridians, parallels and labels to draw on one tile. Lines of the neighbouring tiles are included if their
/// labels can touch the tile.
private struct GraticuleLines {
    private let frame: TileFrame
    private let font: Font
    private let step: GraticuleStep
    private let meridians: ClosedRange<Int>
    private let parallels: ClosedRange<Int>
    /// Only every `stride`-th meridian has labels. The number is above 1 only if even the coarsest step is too narrow
    /// for more labels.
    private let stride: Int

    init(_ frame: TileFrame) {
        self.frame = frame
        let font = Font(size: 11 * frame.scale)
        self.font = font
        step = .fitting(worldSide: frame.worldSide, font: font)
        let labelWidth = step.labelWidth(font)
        let spacing = step.pixels(worldSide: frame.worldSide)
        stride = [1, 2, 3].first { Double($0) * spacing >= labelWidth + font.size * 2.5 } ?? 3
        // A label may reach into the tile from a line outside. The margin covers half the width of a label, and more.
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

    /// Draws each label on its line, in the middle between two crossing lines, or between one and the end of the world.
    /// Labels therefore do not overlap.
    func drawLabels(on canvas: inout Canvas, color: RGBA) {
        let halo = Halo(color: .labelHalo(around: color), width: 2 * frame.scale)
        for meridian in extended(meridians) where meridian % stride == 0 {
            let name = step.label(wrapped(meridian * step.units), positive: "E", negative: "W")
            for parallel in extended(parallels) {
                if let y = y(parallel) {
                    let middle = (x(meridian) + x(meridian + stride)) / 2
                    let name = step.label(parallel * step.units, positive: "N", negative: "S")
                    draw(name, x: middle, y: y, on: &canvas, color: color, halo: halo)
                }
                guard !isAntimeridian(meridian), let middle = middle(north: parallel) else { continue }
                draw(name, x: x(meridian), y: middle, on: &canvas, color: color, halo: halo)
            }
        }
    }

    /// Returns the y of the meridians' labels north of a parallel, or nil if there are none. The labels are midway to
    /// the next parallel. At the ends of the world the labels are midway to the end, if there is enough room. The strip
    /// at the southern end belongs to a parallel beyond the end of the world.
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
        _ text: String, x: Double, y: Double, on canvas: inout Canvas, color: RGBA, halo: Halo
    ) {
        // The position is rounded to whole pixels of the world first, so that both tiles at a border round it in the
        // same way.
        let center = frame.local(x.roundedHalfUp, y.roundedHalfUp)
        let reach = font.width(of: text) / 2 + font.size
        let near = -reach...(Double(frame.side) + reach)
        guard near.contains(center.x), near.contains(center.y) else { return }
        canvas.draw(text, center: center, font: font, color: color, halo: halo)
    }

    /// Adds `stride` lines on both sides, because the position of a label can depend on them.
    private func extended(_ lines: ClosedRange<Int>) -> ClosedRange<Int> {
        (lines.lowerBound - stride)...(lines.upperBound + stride)
    }

    private func x(_ line: Int) -> Double {
        (step.degrees(line) + 180) / 360 * frame.worldSide
    }

    /// Returns the y of a parallel, or nil if the parallel lies beyond the Mercator world.
    private func y(_ line: Int) -> Double? {
        let latitude = step.degrees(line)
        guard abs(latitude) < Mercator.maxLatitude, let place = Coordinate(latitude: latitude, longitude: 0) else {
            return nil
        }
        return Mercator.project(place).y * frame.worldSide
    }

    /// Reports whether the line is the antimeridian. The antimeridian has no labels, because on maps that end there
    /// half of each label would be missing.
    private func isAntimeridian(_ line: Int) -> Bool {
        abs(wrapped(line * step.units)) == 180 * GraticuleStep.unitsPerDegree
    }

    /// Wraps longitudes beyond ±180 degrees, which occur in tiles at the world's edge, so that their labels have the
    /// usual degrees.
    private func wrapped(_ units: Int) -> Int {
        let turn = 360 * GraticuleStep.unitsPerDegree
        return units > turn / 2 ? units - turn : units < -turn / 2 ? units + turn : units
    }
}

extension GeneratorSource {
    /// Draws meridians and parallels with their degrees.
    public static func graticule(color: RGBA, background: RGBA) -> GeneratorSource {
        GeneratorSource(LineSource<GraticuleLayer>(color: color, background: background))
    }
}
