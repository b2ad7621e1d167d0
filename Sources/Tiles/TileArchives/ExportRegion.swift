import MapGeometry

/// The area of an export, as a question about squares of the tile pyramid.
enum ExportRegion: Sendable {
    case box(TileBox)
    case outline(TileOutline)

    /// The part of a square that belongs to the area.
    enum Share: Sendable {
        case none
        case all
        /// A part. Holds what the square's quadrants need, or nil for a box.
        case part(TileOutline.Cut?)
    }

    /// Returns the share of `node`. `parent` is the cut of the square around it. Nil for the world.
    func share(of node: HilbertNode, zoom: Int, parent: TileOutline.Cut?) -> Share {
        switch self {
        case .box(let box):
            let count = box.count(in: node, zoom: zoom)
            return count == 0 ? .none : count == 1 << (2 * (zoom - node.z)) ? .all : .part(nil)
        case .outline(let outline): return outline.share(of: node, parent: parent)
        }
    }

    /// Returns the number of tiles of `zoom` in the square `node`. A part of `node` must be in the area. Returns nil if
    /// the number is known only from the parts of `node`.
    func count(in node: HilbertNode, zoom: Int) -> Int? {
        switch self {
        case .box(let box): box.count(in: node, zoom: zoom)
        case .outline: node.z == zoom ? 1 : nil
        }
    }
}

/// Visits the tiles of one zoom along the Hilbert curve. Squares outside of the area are not entered.
struct TileWalk: Sendable {
    private struct Step {
        let node: HilbertNode
        let parent: TileOutline.Cut?
        let isWhole: Bool
    }

    private let region: ExportRegion
    private let zoom: Int
    /// The next square is the last element. At most three squares of each zoom wait, and share the cut of their parent.
    private var steps = [Step(node: .world, parent: nil, isWhole: false)]

    init(_ region: ExportRegion, zoom: Int) {
        (self.region, self.zoom) = (region, zoom)
    }

    /// Skips `skipped` tiles and returns the tile after them. Returns nil at the end. Squares whose count is known are
    /// skipped without a descent.
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
