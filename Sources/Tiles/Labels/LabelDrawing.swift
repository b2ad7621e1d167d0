import Foundation
import Raster
import Text
import Tiles

extension TextBlock {
    /// Distances in sizes of the font: from one line to the next, the height of capitals, and the depth of letters such
    /// as `g`.
    private static let (leading, rise, depth) = (1.2, 0.73, 0.24)

    /// The height from the tops of the first line to the depth of the last one.
    func height(size: Double) -> Double {
        (Double(lines.count - 1) * Self.leading + Self.rise + Self.depth) * size
    }

    /// Returns the vector from the anchor to the top left corner of the text.
    static func corner(_ spot: PlacedLabels.Spot, reach: Double, _ block: TextBlock, size: Double) -> Point {
        let (width, height) = (block.width * size, block.height(size: size))
        let gap = reach + LabelDecision.gap
        // The text stands in the middle of its capitals.
        let middle = (height - depth * size) / 2
        return switch spot {
        case .right: Point(x: gap, y: -middle)
        case .left: Point(x: -gap - width, y: -middle)
        case .above: Point(x: -width / 2, y: -gap - height)
        case .below: Point(x: -width / 2, y: gap)
        case .middle, .turned: Point(x: -width / 2, y: -middle)
        }
    }

    /// Returns the lines with the left ends of their baselines, as vectors from the anchor in pixels.
    func baselines(
        _ spot: PlacedLabels.Spot, reach: Double, size: Double, scale: Double, font: Font
    ) -> [(line: String, origin: Point)] {
        let corner = Self.corner(spot, reach: reach, self, size: size)
        return lines.enumerated().map { index, line in
            let slack = (width * size * scale - font.width(of: line))
            let indent: Double =
                switch spot {
                case .right: 0
                case .left: slack
                case .above, .below, .middle, .turned: slack / 2
                }
            let y = corner.y + (Self.rise + Double(index) * Self.leading) * size
            return (line, Point(x: corner.x * scale + indent, y: y * scale))
        }
    }
}

/// Draws the labels of a set on a tile.
package struct LabelDrawing {
    private let set: LabelSet
    private let frame: TileFrame
    private let placed: PlacedLabels
    private let color: RGBA
    private let halo: Halo?

    /// Prepares the labels of the zoom at which the world has the points of `frame`. `halo` is the width of the halo in
    /// points.
    package init(_ set: LabelSet, _ frame: TileFrame, color: RGBA, halo: RGBA, haloWidth: Double = 1.5) {
        self.set = set
        self.frame = frame
        self.color = color
        self.halo = halo.alpha > 0 ? Halo(color: halo, width: haloWidth * frame.scale) : nil
        placed = set.placed(zoom: Self.zoom(of: frame))
    }

    /// The zoom at which a world of tiles of 256 points has the points of `frame`.
    static func zoom(of frame: TileFrame) -> Int {
        let points = frame.worldSide / frame.scale
        return min(max(Int(log2(points / 256).rounded()), 0), 31)
    }

    /// Number of labels that reach into the tile.
    package var count: Int {
        var count = 0
        forEach { _, _ in count += 1 }
        return count
    }

    /// Draws the labels on the tile's canvas.
    package func draw(on canvas: inout Canvas) {
        var found: [(PlacedLabels.Item, Point)] = []
        forEach { found.append(($0, $1)) }
        for (item, center) in found { draw(item, at: center, on: &canvas) }
    }

    /// Calls `body` with the labels that reach into the tile, and the places of their anchors on the canvas.
    private func forEach(_ body: (PlacedLabels.Item, Point) -> Void) {
        let unit = placed.side / frame.worldSide
        // Accents and long strokes reach beyond the box of a text, which has the width and the height of plain letters.
        let beyond = set.size
        let area = LabelBox(
            left: frame.left * unit - beyond, top: frame.top * unit - beyond, right: frame.right * unit + beyond,
            bottom: frame.bottom * unit + beyond)
        placed.forEach(of: set, near: area) { item, turn in
            // Rounds the place in the world, as a path does, so that all tiles round it in the same way.
            let anchor = Point(x: item.anchor.x * frame.worldSide, y: item.anchor.y * frame.worldSide).subpixelRounded
            body(item, frame.local(anchor.x + Double(turn) * frame.worldSide, anchor.y))
        }
    }

    private func draw(_ item: PlacedLabels.Item, at center: Point, on canvas: inout Canvas) {
        let (label, block) = (set.labels[item.label], set.blocks[item.label])
        let font = Font(size: set.size * frame.scale, language: label.language)
        var reach = 0.0
        if case .beside(_, let symbol) = label.place { reach = symbol }
        let lines = block.baselines(item.spot, reach: reach, size: set.size, scale: frame.scale, font: font)
        for (line, origin) in lines {
            guard case .turned(let angle) = item.spot else {
                canvas.draw(
                    line, at: Point(x: center.x + origin.x, y: center.y + origin.y), font: font, color: color,
                    halo: halo)
                continue
            }
            let path = font.path(for: line, at: origin).turned(by: angle, at: center)
            if let halo { canvas.stroke(path, width: 2 * halo.width, color: halo.color) }
            canvas.fill(path, color: color)
        }
    }
}

extension Path {
    /// Returns the path, turned clockwise around (0, 0) by an angle in radians, and then moved by `center`.
    fileprivate func turned(by angle: Double, at center: Point) -> Path {
        let (cosine, sine) = (cos(angle), sin(angle))
        var path = Path()
        for contour in contours {
            path.add(
                contour.map { point in
                    let turned = Point(x: point.x * cosine - point.y * sine, y: point.x * sine + point.y * cosine)
                    return center + turned.subpixelRounded
                })
        }
        return path
    }
}
