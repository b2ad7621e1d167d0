import Labels
import Raster
import Text
import Tiles

/// A layer that shows the borders of the tiles, for tests of a map. Each tile has lines along its edges and the text
/// `z/x/y` in its middle.
package struct GridLayer: LineLayer {
    package static let name = "grid"
    package static let doc = "border and z/x/y of each tile"
    package static let standardColor = RGBA(red: 32, green: 66, blue: 128)

    private let color: RGBA
    private let background: RGBA
    private let hasLabels: Bool
    package let tileSize: TileSize

    package init(_ source: LineSource<GridLayer>, tileSize: TileSize) {
        (color, background, hasLabels) = (source.color, source.background, source.labels)
        self.tileSize = tileSize
    }

    package var repeatedLabels: (any RepeatedLabels)? {
        hasLabels ? GridLabels(color: color, tileSize: tileSize) : nil
    }

    /// Draws lines one point wide along the western and northern edges of the tile. The neighbouring tiles draw the
    /// other two edges, so that each border has only one line. A map may end at the eastern and southern edges of the
    /// world, so a tile at these edges draws the line there, too.
    package func lines(on frame: TileFrame) -> Canvas {
        var canvas = Canvas(width: frame.side, height: frame.side, background: background)
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
        return canvas
    }
}

/// The texts `z/x/y`, each in the middle of its tile.
private struct GridLabels: RepeatedLabels {
    let color: RGBA
    let tileSize: TileSize

    var style: LabelStyle {
        var style = LabelStyle(size: Self.largest, color: color, halo: .labelHalo(around: color))
        style.haloWidth = 2
        return style
    }

    func forEach(near area: LabelBox, zoom: Int, _ body: (RepeatedLabel) -> Void) {
        let side = Double(tileSize.pixels(scale: 1))
        let zoom = tileSize == .double ? zoom - 1 : zoom
        guard zoom >= 0 else { return }
        let last = (1 << zoom) - 1
        func numbers(_ low: Double, _ high: Double) -> Range<Int> {
            let first = max(Int((low / side).rounded(.down)), 0)
            return first..<max(min(Int((high / side).rounded(.down)), last) + 1, first)
        }
        for row in numbers(area.top, area.bottom) {
            for column in numbers(area.left, area.right) {
                let text = "\(zoom)/\(column)/\(row)"
                let middle = Point(x: (Double(column) + 0.5) * side, y: (Double(row) + 0.5) * side)
                body(RepeatedLabel(text, size: size(of: text, side), places: [middle]))
            }
        }
    }

    private static let largest = 18.0

    /// Returns the font size of `text` in points: the largest whole size up to 18 at which the text takes at most nine
    /// tenths of the tile, and at least 6. `side` is the side of the tile in points.
    private func size(of text: String, _ side: Double) -> Double {
        var size = Self.largest
        while size > 6, Font(size: size).width(of: text) > side * 0.9 { size -= 1 }
        return size
    }
}

extension RGBA {
    /// Returns the colour of the halo around text of `color`: white around dark text, black around light text.
    static func labelHalo(around color: RGBA) -> RGBA {
        // The brightness of `color` (luma of Rec. 601). The weights are thousandths, so `luma` is in 0…255,000.
        let luma = 299 * Int(color.red) + 587 * Int(color.green) + 114 * Int(color.blue)
        let level: UInt8 = luma < 140_000 ? 255 : 0
        return RGBA(red: level, green: level, blue: level, alpha: 224)
    }
}

extension GeneratorSource {
    /// Returns a source that draws each tile's border and its z/x/y. `color` is the colour of lines and texts.
    public static func grid(color: RGBA, background: RGBA) -> GeneratorSource {
        GeneratorSource(LineSource<GridLayer>(color: color, background: background))
    }
}
