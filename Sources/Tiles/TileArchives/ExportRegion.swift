import MapGeometry

/// The area of an export: a box, or the outline of shapes. `share` says which part of a square lies in the area. A
/// square is the part of the map that one tile covers, at any zoom.
enum ExportRegion: Sendable {
    case box(TileBox)
    case outline(TileOutline)

    /// The part of a square that lies in the area: no part, the whole square, or only a part.
    enum Share: Sendable {
        case none
        case all
        /// Only a part of the square lies in the area. The associated value is the cut of the square: the edges of
        /// shapes in the square. A caller passes the cut to `share` for the quadrants of the square. The value is nil
        /// if the area is a box.
        case part(TileOutline.Cut?)
    }

    /// Returns the part of the square `node` that lies in the area. `zoom` is the zoom of the exported tiles. `parent`
    /// is the cut from an earlier call for the larger square that has `node` as a quadrant. `parent` is nil if `node`
    /// is the whole world, or if the area is a box.
    func share(of node: HilbertNode, zoom: Int, parent: TileOutline.Cut?) -> Share {
        switch self {
        case .box(let box):
            let count = box.count(in: node, zoom: zoom)
            return count == 0 ? .none : count == 1 << (2 * (zoom - node.z)) ? .all : .part(nil)
        case .outline(let outline): return outline.share(of: node, parent: parent)
        }
    }

    /// Returns the number of tiles at `zoom` that lie in `node` and in the area. The share of `node` must be `part`.
    /// Returns nil if the area has shapes and `node` is larger than a tile of `zoom`. The caller then continues with
    /// the quadrants of `node`.
    func count(in node: HilbertNode, zoom: Int) -> Int? {
        switch self {
        case .box(let box): box.count(in: node, zoom: zoom)
        case .outline: node.z == zoom ? 1 : nil
        }
    }
}

/// A walk through the tiles of an area at one zoom, in the order of the Hilbert curve. The walk divides squares into
/// quadrants, and does not divide squares outside the area.
struct TileWalk: Sendable {
    private struct Step {
        let node: HilbertNode
        let parent: TileOutline.Cut?
        let isWhole: Bool
    }

    private let region: ExportRegion
    private let zoom: Int
    /// A stack of squares that the walk has not visited yet. The last element is the next square. At most four squares
    /// of each zoom are in the stack. The four quadrants of a square share the cut of this square.
    private var steps = [Step(node: .world, parent: nil, isWhole: false)]

    init(_ region: ExportRegion, zoom: Int) {
        (self.region, self.zoom) = (region, zoom)
    }

    /// Skips `skipped` tiles of the area, and returns the tile after the skipped tiles. Returns nil if the area has no
    /// more tiles. Skips a whole square in one step if the number of tiles in the square is known.
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
