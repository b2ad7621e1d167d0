import Foundation
import MapGeometry
import Raster

/// The features of a file on one tile.
struct GeoJSONDrawing {
    private var canvas: Canvas
    private let content: GeoJSONContent
    private let frame: TileFrame
    private let window: GeoJSONWindow
    /// What is near, in the order of the file, in batches of one style.
    private let batches: [Batch]

    /// Shapes that are drawn as one, so that those that meet or lie over each other leave no trace of it.
    private struct Batch {
        let style: GeoJSONStyle
        var members: [GeoJSONContent.Neighbor]
    }

    init(_ content: GeoJSONContent, _ frame: TileFrame) {
        self.content = content
        self.frame = frame
        window = GeoJSONWindow(content, frame)
        canvas = Canvas(width: frame.side, height: frame.side)
        var batches: [Batch] = []
        var last: UInt32?
        // A point more than is needed, see `pointsToDraw`.
        for neighbor in content.shapes(near: window.box(margin: (content.reach + 2) * frame.scale)) {
            let shape = content.shapes[neighbor.shape]
            if shape.batch != last {
                batches.append(Batch(style: content.styles[Int(shape.style)], members: []))
                last = shape.batch
            }
            batches[batches.count - 1].members.append(neighbor)
        }
        self.batches = batches
    }

    /// Whether nothing is near.
    var isEmpty: Bool { batches.isEmpty }

    mutating func drawAreas() {
        for batch in batches where batch.style.fill.alpha > 0 {
            var path = Path()
            for member in batch.members where content.shapes[member.shape].kind == .area {
                window.add(areaOf: content.shapes[member.shape], turn: member.turn, to: &path)
            }
            canvas.fill(path, rule: .nonZero, color: batch.style.fill)
        }
    }

    /// Lines, and the outlines of areas.
    mutating func drawLines() {
        for batch in batches where batch.style.stroke.alpha > 0 && batch.style.width > 0 {
            let width = batch.style.width * frame.scale
            var path = Path()
            for member in batch.members where content.shapes[member.shape].kind != .point {
                let shape = content.shapes[member.shape]
                window.add(linesOf: shape, turn: member.turn, reach: width / 2, to: &path)
            }
            canvas.stroke(path, width: width, color: batch.style.stroke)
        }
    }

    mutating func drawPoints() {
        for (style, centers) in pointsToDraw() {
            let disc = GeoJSONDisc(style, scale: frame.scale)
            for center in centers { disc.draw(at: center, on: &canvas) }
        }
    }

    /// The tile; nil where nothing of what is near can be seen.
    consuming func finished() -> Pixmap? {
        let pixmap = canvas.pixmap
        return pixmap.bytes.contains { $0 != 0 } ? pixmap : nil
    }

    /// Where points are, on the canvas. Of several in one square point of the world only the last one is drawn, which is
    /// above the others: so many points can be seen and no more.
    private func pointsToDraw() -> [(GeoJSONStyle, [Point])] {
        struct Cell: Hashable {
            let x: Int
            let y: Int
        }
        var taken: Set<Cell> = []
        let drawn = batches.reversed().map { batch in
            let centers = batch.members.reversed().compactMap { member -> Point? in
                let shape = content.shapes[member.shape]
                guard shape.kind == .point else { return nil }
                let place = WorldPoint(x: shape.box.left, y: shape.box.top)
                let pixel = window.pixel(place, turn: member.turn)
                // At most 2^42 pixels.
                let cell = Cell(
                    x: Int((pixel.x / frame.scale).rounded(.down)), y: Int((pixel.y / frame.scale).rounded(.down)))
                return taken.insert(cell).inserted ? frame.local(pixel.x, pixel.y) : nil
            }
            return (batch.style, Array(centers.reversed()))
        }
        return drawn.reversed()
    }
}
