import MapGeometry

/// Finds the tiles that the shapes of an export area contain or touch. The shapes are polygons, lines and points, and
/// this type holds their edges.
///
/// The search starts with the square of the whole world, and goes on into the four quadrants of each square that an
/// edge touches. A square without edges lies wholly inside or outside of each polygon, so the search need not enter the
/// square. The time grows with the number of tiles that the edges cross, and not with the area.
struct TileOutline: Sendable {
    /// An edge, in coordinates of the world.
    struct Segment: Sendable {
        let start: WorldPoint
        let end: WorldPoint
        /// The number of the polygon that has this edge. Nil for an edge of a line or a point.
        let polygon: Int32?

        /// Returns the x coordinate at which the edge crosses the horizontal line at `y`. Returns nil if both ends of
        /// the edge lie on one side of the line. An end on the line belongs to the northern side. A path of edges that
        /// passes through the line at a corner therefore crosses once. A path that only touches the line at a corner
        /// crosses twice or never.
        func x(at y: Double) -> Double? {
            guard (start.y <= y) != (end.y <= y) else { return nil }
            return start.x + (y - start.y) / (end.y - start.y) * (end.x - start.x)
        }

        /// Returns the y coordinate at which the edge crosses the vertical line at `x`. Returns nil if both ends of the
        /// edge lie on one side of the line. An end on the line belongs to the western side.
        func y(at x: Double) -> Double? {
            guard (start.x <= x) != (end.x <= x) else { return nil }
            return start.y + (x - start.x) / (end.x - start.x) * (end.y - start.y)
        }
    }

    /// The part of the shapes in one square of the search. Has the edges that touch the square, and the polygons that
    /// contain one fixed point of the square, the result of `reference`.
    struct Cut: Sendable {
        let node: HilbertNode
        let segments: [Int32]
        /// The polygons that contain the square's `reference`.
        let inside: [Int32]
    }

    let segments: [Segment]
    /// The box around all shapes. Nil if there are no shapes, or if the width or the height of the box is zero.
    let bounds: GeographicBox?

    /// Maximum number of edges. Each edge takes 40 bytes. During a search, each edge takes at most 4 more bytes per
    /// zoom.
    static let mostSegments = 1_000_000
    /// Maximum number of squares that `counts` visits. Counting takes 10 to 60 seconds at this limit.
    static let mostSquares = 1 << 27

    init(_ shapes: ExportShapes) throws(ExportAreaError) {
        var builder = TileOutlineBuilder()
        for rings in shapes.polygons { try builder.add(polygon: rings) }
        for line in shapes.lines { try builder.add(line: line) }
        for point in shapes.points { try builder.add(line: [point]) }
        (segments, bounds) = (builder.segments, builder.bounds)
    }

    /// Returns the number of tiles that the shapes contain or touch, for each zoom of `zooms` in ascending order.
    /// Throws `tooLong` if the edges are so long that the count must visit more than `mostSquares` squares.
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

    /// Compares the square `node` with the shapes. Returns `none` if no shape touches the square, and `all` if a
    /// polygon is found to contain the whole square. Otherwise returns `part` with the edges and polygons in the
    /// square. `parent` is the cut of the square around `node`, or nil if `node` is the whole world.
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

    /// Returns a fixed point of the square `node`, at 41% of its width from the west and 73% of its height from the
    /// north. Coordinates in files seldom have these fractions of a tile, so an edge seldom crosses the point.
    private static func reference(_ node: HilbertNode) -> WorldPoint {
        let side = 1 / Double(1 << node.z)
        return WorldPoint(x: (Double(node.x) + 0.414_213_562) * side, y: (Double(node.y) + 0.732_050_808) * side)
    }

    /// Returns the numbers of the polygons that contain the reference point of `node`. Follows a path from the parent's
    /// reference point to this point, first along the row, then along the column. The list starts with the polygons at
    /// the start of the path. Each edge that crosses the path adds its polygon to the list, or removes the polygon from
    /// the list. The path stays within the parent, so only edges in the parent can cross it. For the world, the path
    /// begins far in the west, outside of all polygons.
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

    /// Reports whether the edge with the number `index` touches `square`, which has the area of one tile or of several.
    /// For an edge of a polygon, the function makes the square smaller by `TileBox.tolerance`. So a polygon that covers
    /// exactly one tile does not touch the neighbours of this tile. For an edge of a line, the function makes the
    /// square larger by the tolerance. So a line on the border of two tiles touches both.
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
