import Tiles

/// What of a file is near a tile, in the order of the file.
struct GeoJSONSelection {
    let content: GeoJSONContent
    let neighbors: [GeoJSONContent.Neighbor]
    let batches: [Batch]

    /// Shapes that are drawn as one, so that those that meet or lie over each other leave no trace of it.
    struct Batch {
        let style: GeoJSONStyle
        /// In `neighbors`.
        let members: Range<Int>
    }

    init(_ content: GeoJSONContent, near frame: TileFrame) {
        self.content = content
        // A point more than is needed, see `GeoJSONDrawing.pointsToDraw`.
        let box = GeoJSONWindow(content, frame).box(margin: (content.reach + 2) * frame.scale)
        neighbors = content.shapes(near: box)
        var batches: [Batch] = []
        var start = 0
        for end in neighbors.indices.dropFirst() + [neighbors.count] where start < end {
            let first = content.shapes[neighbors[start].shape]
            if end < neighbors.count, content.shapes[neighbors[end].shape].batch == first.batch { continue }
            batches.append(Batch(style: content.styles[Int(first.style)], members: start..<end))
            start = end
        }
        self.batches = batches
    }

    /// How many vertices a drawing reads; one that it reads twice counts twice.
    var vertexCount: Int {
        batches.reduce(0) { sum, batch in
            let (areas, lines) = (batch.style.hasFill ? 1 : 0, batch.style.hasStroke ? 1 : 0)
            return neighbors[batch.members].reduce(sum) { sum, member in
                let shape = content.shapes[member.shape]
                let vertices = shape.lines.reduce(0) { $0 + content.lines[Int($1)].vertices.count }
                return switch shape.kind {
                case .point: sum + 1
                case .line: sum + lines * vertices
                case .area: sum + (areas + lines) * vertices
                }
            }
        }
    }
}
