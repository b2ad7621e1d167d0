import Labels
import MapGeometry
import Raster
import Tiles

/// A layer that draws meridians and parallels, and labels them with their degrees. Deeper zooms draw more of them, with
/// fewer degrees between two lines.
package struct GraticuleLayer: LineLayer {
    package static let name = "graticule"
    package static let doc = "meridians and parallels with their degrees"
    package static let standardColor = RGBA(red: 62, green: 78, blue: 98)

    private let color: RGBA
    private let background: RGBA
    private let hasLabels: Bool
    package let tileSize: TileSize

    package init(_ source: LineSource<GraticuleLayer>, tileSize: TileSize) {
        (color, background, hasLabels) = (source.color, source.background, source.labels)
        self.tileSize = tileSize
    }

    package var repeatedLabels: (any RepeatedLabels)? { hasLabels ? GraticuleLabels(color: color) : nil }

    package func lines(on frame: TileFrame) -> Canvas {
        var canvas = Canvas(width: frame.side, height: frame.side, background: background)
        let side = Double(frame.side)
        let lines = GraticuleLines(worldSide: frame.worldSide, scale: frame.scale)
        let width = frame.lineWidth(points: 1)
        for line in lines.meridians(from: frame.left, to: frame.right) {
            let start = frame.lineStart(around: lines.x(line), width: width) - frame.left
            canvas.fillRectangle(left: start, top: 0, right: start + width, bottom: side, color: color)
        }
        for line in lines.parallels(from: frame.top, to: frame.bottom) {
            guard let y = lines.y(line) else { continue }
            let start = frame.lineStart(around: y, width: width) - frame.top
            canvas.fillRectangle(left: 0, top: start, right: side, bottom: start + width, color: color)
        }
        return canvas
    }
}

extension GeneratorSource {
    /// Returns a source that draws meridians and parallels with their degrees. `color` is the colour of lines and
    /// labels.
    public static func graticule(color: RGBA, background: RGBA) -> GeneratorSource {
        GeneratorSource(LineSource<GraticuleLayer>(color: color, background: background))
    }
}
