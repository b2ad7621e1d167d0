import MapGeometry

/// The area of an export: a box, or the outline of shapes. `share` says which part of a square of the tile pyramid
/// lies in the area.
enum ExportRegion: Sendable {
    case box(TileBox)
    case outline(TileOutline)

    /// The part of a square that lies in the area.
    enum Share: Sendable {
        case none
        case all
        /// A part of the square. The cut has the edges of shapes in the square. `share` needs the cut for the
        /// quadrants of the square. Nil if the area is a box.
        case part(TileOutline.Cut?)
    }

    /// Returns the part of the square `node` that lies in the area. `zoom` is the zoom of the exported tiles.
    /// `parent` is the cut of the square around `node`, from an earlier call. Nil if `node` is the whole world, or
    /// if the area is a box.
    func share(of node: HilbertNode, zoom: Int, parent: TileOutline.Cut?) -> Share {
        switch self {
        case .box(let box):
            let count = box.count(in: node, zoom: zoom)
            return count == 0 ? .none : count == 1 << (2 * (zoom - node.z)) ? .all : .part(nil)
        case .outline(let outline): return outline.share(of: node, parent: parent)
        }
    }

    /// Returns the number of tiles at `zoom` that lie in `node` and in the area. Call only for a node with the share
    /// `part`. Returns nil if the area has shapes and `node` is larger than a tile of `zoom`: the caller then counts
    /// the tiles in the quadrants of `node`.
    func count(in node: HilbertNode, zoom: Int) -> Int? {
        switch self {
        case .box(let box): box.count(in: node, zoom: zoom)
        case .outline: node.z == zoom ? 1 : nil
        }
    }
}

/// A walk through the tiles of one zoom, along the Hilbert curve. The walk does not enter squares outside the area.
struct TileWalk: Sendable {
    private struct Step {
        let node: HilbertNode
        let parent: TileOutline.Cut?
        let isWhole: Bool
    }

    private let region: ExportRegion
    private let zoom: Int
    /// Squares that the walk visits later. The last element is the next square. At most three squares of each zoom
    /// wait here. Squares with one parent share the cut of the parent.
    private var steps = [Step(node: .world, parent: nil, isWhole: false)]

    init(_ region: ExportRegion, zoom: Int) {
        (self.region, self.zoom) = (region, zoom)
    }

    /// Skips `skipped` tiles of the area, and returns the next tile. Returns nil at the end. Skips a whole square at
    /// once if the number of its tiles is known.
    mutating func next(skipping skipped: Int) -> TileCoordinate? {
        var skipped = skipped
        while let step = steps.popLast() {
            let (node, share) = (step.node, share(of: step))
            let count: Int?
            switch share {
            case .none: continue
            case .all: count = 1 << (2 * (zoom - node.z))
            case .part: count = region.count(in: node, zoom: zoom)
            }
            if let count, count <= skipped {
                skipped -= count
            } else if node.z == zoom {
                return TileCoordinate(z: node.z, x: node.x, y: node.y)
            } else {
                enter(node, share)
            }
        }
        return nil
    }

    private func share(of step: Step) -> ExportRegion.Share {
        step.isWhole ? .all : region.share(of: step.node, zoom: zoom, parent: step.parent)
    }

    private mutating func enter(_ node: HilbertNode, _ share: ExportRegion.Share) {
        let (cut, isWhole): (TileOutline.Cut?, Bool)
        switch share {
        case .none: return
        case .all: (cut, isWhole) = (nil, true)
        case .part(let part): (cut, isWhole) = (part, false)
        }
        for place in (0...3).reversed() { steps.append(Step(node: node.child(place), parent: cut, isWhole: isWhole)) }
    }
}
