import MapGeometry

/// The edges of shapes. Finds the tiles that the shapes touch.
///
/// The search starts with the square of the whole world, and goes on into the four quadrants of each square that an
/// edge touches. A square without edges lies wholly inside or outside of each polygon, so the search need not enter
/// it. The time grows with the number of tiles that the edges cross, and not with the area.
struct TileOutline: Sendable {
    /// An edge, in coordinates of the world.
    struct Segment: Sendable {
        let start: WorldPoint
        let end: WorldPoint
        /// The number of the polygon to which the edge belongs. Nil for an edge of a line or a point.
        let polygon: Int32?

        /// Returns the x at which the edge crosses the horizontal line at `y`. Returns nil if the edge does not cross
        /// this line. A path that passes through the line at a corner of two edges counts as one crossing. A path
        /// that only touches the line at a corner counts as two crossings or none.
        func x(at y: Double) -> Double? {
            guard (start.y <= y) != (end.y <= y) else { return nil }
            return start.x + (y - start.y) / (end.y - start.y) * (end.x - start.x)
        }

        /// Returns the y at which the edge crosses the vertical line at `x`. Returns nil if the edge does not cross
        /// this line.
        func y(at x: Double) -> Double? {
            guard (start.x <= x) != (end.x <= x) else { return nil }
            return start.y + (x - start.x) / (end.x - start.x) * (end.y - start.y)
        }
    }

    /// The part of the shapes in one square: the edges that touch the square, and the polygons that contain its
    /// reference point (`reference`).
    struct Cut: Sendable {
        let node: HilbertNode
        let segments: [Int32]
        /// The polygons that contain the square's `reference`.
        let inside: [Int32]
    }

    let segments: [Segment]
    /// The edges of all shapes.
    let bounds: GeographicBox?

    /// Maximum number of edges. Each edge takes 40 bytes. During a search, each edge takes at most 4 more bytes per
    /// zoom.
    static let mostSegments = 1_000_000
    /// Maximum number of squares that a count of tiles visits. Counting takes 10 to 60 seconds at this limit.
    static let mostSquares = 1 << 27

    init(_ shapes: ExportShapes) throws(ExportAreaError) {
        var builder = TileOutlineBuilder()
        for rings in shapes.polygons { try builder.add(polygon: rings) }
        for line in shapes.lines { try builder.add(line: line) }
        for point in shapes.points { try builder.add(line: [point]) }
        (segments, bounds) = (builder.segments, builder.bounds)
    }

    /// Returns the number of tiles at each zoom of `zooms`. Throws `tooLong` if the count must visit more than
    /// `mostSquares` squares.
    func counts(_ zooms: ClosedRange<Int>, mostSquares: Int = mostSquares) throws(ExportAreaError) -> [Int] {
        var (counts, visited) = ([Int](repeating: 0, count: zooms.upperBound + 1), 0)
        var steps: [(node: HilbertNode, parent: Cut?)] = [(.world, nil)]
        while let (node, parent) = steps.popLast() {
            visited += 1
            guard visited <= mostSquares else { throw .tooLong(limit: mostSquares) }
            switch share(of: node, parent: parent) {
            case .none: continue
            case .all:
                for zoom in node.z...zooms.upperBound { counts[zoom] += 1 << (2 * (zoom - node.z)) }
            case .part(let cut):
                counts[node.z] += 1
                guard node.z < zooms.upperBound else { continue }
                for place in 0...3 { steps.append((node.child(place), cut)) }
            }
        }
        return Array(counts[zooms])
    }

    /// Returns the part of the square `node` that belongs to the shapes. `parent` has the edges and polygons of the
    /// square around `node`. `parent` is nil for the square of the world.
    func share(of node: HilbertNode, parent: Cut?) -> ExportRegion.Share {
        let square = Square(node)
        let touching = (parent?.segments ?? Array(0..<Int32(segments.count))).filter { touches($0, square) }
        let inside = inside(node, parent)
        guard !touching.isEmpty else { return inside.isEmpty ? .none : .all }
        // A polygon around the whole square wins over edges of other shapes. A few polygons are enough to check:
        // otherwise the descent goes on, and has the same result.
        let isCovered = inside.prefix(4).contains { polygon in
            !touching.contains { segments[Int($0)].polygon == polygon }
        }
        return isCovered ? .all : .part(Cut(node: node, segments: touching, inside: inside))
    }

    /// Returns the reference point of a square, 41% from its west edge and 73% from its north edge. Coordinates in
    /// files seldom have these fractions of a tile, so an edge seldom crosses the point.
    private static func reference(_ node: HilbertNode) -> WorldPoint {
        let side = 1 / Double(1 << node.z)
        return WorldPoint(x: (Double(node.x) + 0.414_213_562) * side, y: (Double(node.y) + 0.732_050_808) * side)
    }

    /// Returns the polygons that contain the reference point of `node` (`reference`). Starts with the polygons around
    /// the parent's reference point. Follows a path from this point to the reference point of `node`, first along the
    /// row, then along the column. Each edge that crosses the path enters or leaves its polygon. The path stays
    /// within the parent, so only edges in the parent can cross it. For the world, the path begins far in the west,
    /// outside of all polygons.
    private func inside(_ node: HilbertNode, _ parent: Cut?) -> [Int32] {
        let place = Self.reference(node)
        let start = parent.map { Self.reference($0.node) } ?? WorldPoint(x: -.infinity, y: place.y)
        let (west, east) = (min(start.x, place.x), max(start.x, place.x))
        let (north, south) = (min(start.y, place.y), max(start.y, place.y))
        var inside = parent?.inside ?? []
        func cross(_ segment: Segment) {
            guard let polygon = segment.polygon else { return }
            var isOdd = false
            if let x = segment.x(at: start.y) { isOdd = west <= x && x < east }
            if let y = segment.y(at: place.x) { isOdd = isOdd != (north <= y && y < south) }
            guard isOdd else { return }
            if let index = inside.firstIndex(of: polygon) { inside.remove(at: index) } else { inside.append(polygon) }
        }
        if let parent {
            for index in parent.segments { cross(segments[Int(index)]) }
        } else {
            for segment in segments { cross(segment) }
        }
        return inside
    }

    /// The edges of a square.
    private struct Square {
        let west: Double
        let north: Double
        let east: Double
        let south: Double

        init(_ node: HilbertNode) {
            let side = 1 / Double(1 << node.z)
            (west, north) = (Double(node.x) * side, Double(node.y) * side)
            (east, south) = (west + side, north + side)
        }
    }

    /// Reports whether the edge with the number `index` touches a square. For an edge of a polygon, the square is
    /// made a little smaller: a polygon with the edges of a tile must not touch the tiles around it. For an edge of a
    /// line, the square is made a little larger, so that no line lies between tiles.
    private func touches(_ index: Int32, _ square: Square) -> Bool {
        let segment = segments[Int(index)]
        let margin = segment.polygon == nil ? -TileBox.tolerance : TileBox.tolerance
        let (west, east) = (square.west + margin, square.east - margin)
        let (north, south) = (square.north + margin, square.south - margin)
        let (start, end) = (segment.start, segment.end)
        guard max(start.x, end.x) >= west, min(start.x, end.x) <= east, max(start.y, end.y) >= north,
            min(start.y, end.y) <= south
        else { return false }
        // The line through the edge misses the square if all corners lie on one side.
        let (width, height) = (end.x - start.x, end.y - start.y)
        func side(_ x: Double, _ y: Double) -> Double { width * (y - start.y) - height * (x - start.x) }
        let sides = (side(west, north), side(east, north), side(west, south), side(east, south))
        let isBelow = sides.0 < 0 && sides.1 < 0 && sides.2 < 0 && sides.3 < 0
        let isAbove = sides.0 > 0 && sides.1 > 0 && sides.2 > 0 && sides.3 > 0
        return !isBelow && !isAbove
    }
}
