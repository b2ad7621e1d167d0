import MapGeometry
import Raster
import Tiles

/// The part of the world that one tile shows. Selects the lines near the tile, and converts places to pixels of the
/// tile.
struct GeoJSONWindow {
    private let content: GeoJSONContent
    private let frame: TileFrame

    /// A vertex of a line may be left out if it is less than this distance, in pixels, from the vertex before it.
    private static let detail = 0.25

    init(_ content: GeoJSONContent, _ frame: TileFrame) {
        self.content = content
        self.frame = frame
    }

    /// Returns the box of the tile and `margin` pixels around it, moved by `turn` worlds to the west. A shape that is
    /// drawn `turn` worlds farther east is visible if it meets this box. 1 is the side of the world.
    func box(margin: Double, turn: Int = 0) -> GeoJSONBox {
        let (unit, turn) = (frame.worldSide, Double(turn))
        return GeoJSONBox(
            left: (frame.left - margin) / unit - turn, top: (frame.top - margin) / unit,
            right: (frame.right + margin) / unit - turn, bottom: (frame.bottom + margin) / unit)
    }

    /// Converts a point to pixels of the world, moved by `turn` worlds to the east. Rounds to 1/256 pixel, like a path.
    /// The corner of the tile is a whole number of pixels, so subtracting it later needs no second rounding.
    func pixel(_ point: WorldPoint, turn: Int) -> Point {
        let subpixels = 256.0
        let unit = frame.worldSide * subpixels
        return Point(
            x: (point.x * unit).roundedHalfUp / subpixels + Double(turn) * frame.worldSide,
            y: (point.y * unit).roundedHalfUp / subpixels)
    }

    private func local(_ point: WorldPoint, turn: Int) -> Point {
        let pixel = pixel(point, turn: turn)
        return frame.local(pixel.x, pixel.y)
    }

    /// Calls `body` with the rings of a polygon that are near the tile, in pixels of the tile. A ring comes as one or
    /// more chains of points, which together form the closed outline. `vertices` is the number of vertices of the chain
    /// in the file. A chain that is tiny or far from the tile has only its two ends. `turn` is the number of worlds by
    /// which the polygon is moved to the east.
    ///
    /// The points of each chain are stored in the array `chain`, so that all chains use the memory of one array.
    func forEachChain<Failure: Error>(
        ofArea shape: GeoJSONShape, turn: Int, _ chain: inout [Point],
        _ body: ([Point], _ vertices: Int) throws(Failure) -> Void
    ) throws(Failure) {
        let near = box(margin: 1, turn: turn)
        for number in shape.lines {
            let ring = content.lines[Int(number)]
            guard ring.box.meets(near) else { continue }
            // A ring without boxes of its parts is short, and may be small as a whole. Uses all its vertices, so that
            // the ring keeps its area.
            let detail = ring.boxes.isEmpty ? 0 : Self.detail
            try content.forEachPart(of: ring, near: near, detail: Self.detail / frame.worldSide) {
                (vertices, part) throws(Failure) in
                // Uses only the ends of a far or tiny part of the ring. A far part lies outside the tile, so a straight
                // line between its ends fills the same pixels of the tile.
                thin(vertices, turn: turn, detail: part == .near ? detail : nil, to: &chain)
                try body(chain, vertices.count)
            }
        }
    }

    /// Calls `body` with the lines of `shape`, or with the outline of an area, in pixels of the tile. Leaves out lines
    /// of `width` pixels that do not reach the tile. A line comes as one or more chains of points. `isStart` is true up
    /// to the first chain with points. A chain of one point is a dot. A part of a line that is too far from the tile
    /// gives an empty chain. If `isWhole` is true, far parts of a visible line also give their points: the place of a
    /// dash depends on the length of the line before the dash. `turn` and `vertices` are as above.
    ///
    /// Files cut areas at the antimeridian and at the edges of the world (RFC 7946 3.1.9). The edges of an area that
    /// lie on these cuts are left out.
    func forEachChain<Failure: Error>(
        ofLines shape: GeoJSONShape, turn: Int, width: Double, isWhole: Bool, _ chain: inout [Point],
        _ body: ([Point], _ vertices: Int, _ isStart: Bool) throws(Failure) -> Void
    ) throws(Failure) {
        let near = box(margin: width / 2 + 1, turn: turn)
        for number in shape.lines {
            let line = content.lines[Int(number)]
            guard line.box.meets(near) else { continue }
            if line.box.isSmaller(than: 2 * Self.detail / frame.worldSide) {
                let start = line.vertices.lowerBound
                thin(start..<start + 1, turn: turn, detail: 0, to: &chain)
                try body(chain, line.vertices.count, true)
                continue
            }
            var isStart = true
            try content.forEachPart(
                of: line, near: isWhole ? line.box : near, detail: Self.detail / frame.worldSide
            ) { (vertices, part) throws(Failure) in
                guard part != .far else { return try body([], vertices.count, isStart) }
                guard shape.kind == .area else {
                    thin(vertices, turn: turn, detail: part == .near ? Self.detail : nil, to: &chain)
                    try body(chain, vertices.count, isStart)
                    isStart = false
                    return
                }
                for part in Uncut(vertices, of: content) {
                    thin(part, turn: turn, detail: Self.detail, to: &chain)
                    try body(chain, part.count, isStart)
                    isStart = false
                }
            }
        }
    }

    /// Converts the vertices with the indices `range`, which are a part of a line, to pixels of the tile, and stores
    /// them in `points`. `turn` is the number of worlds by which they are moved to the east. Both ends are always used.
    /// Another vertex is used if its x or y differs by at least `detail` pixels from the last used vertex: smaller
    /// steps are not visible. If `detail` is nil, only the ends are used.
    ///
    /// Each tile divides a line into the same parts, so neighbouring tiles leave out the same vertices.
    private func thin(_ range: Range<Int>, turn: Int, detail: Double?, to points: inout [Point]) {
        points.removeAll(keepingCapacity: true)
        let end = range.upperBound - 1
        var last = local(content.vertices[range.lowerBound], turn: turn)
        points.append(last)
        if let detail {
            for index in range.dropFirst().dropLast() {
                let point = local(content.vertices[index], turn: turn)
                guard abs(point.x - last.x) >= detail || abs(point.y - last.y) >= detail else { continue }
                points.append(point)
                last = point
            }
        }
        if end > range.lowerBound { points.append(local(content.vertices[end], turn: turn)) }
    }

    /// The parts of an outline between its cuts. A cut is an edge along which a file divides an area, at the
    /// antimeridian or at an edge of the world.
    private struct Uncut: Sequence, IteratorProtocol {
        private let content: GeoJSONContent
        private var rest: Range<Int>

        init(_ vertices: Range<Int>, of content: GeoJSONContent) {
            self.content = content
            rest = vertices
        }

        mutating func next() -> Range<Int>? {
            while rest.count > 1 {
                let start = rest.lowerBound
                let cut = rest.dropFirst().first {
                    GeoJSONWindow.isCut(content.vertices[$0 - 1], content.vertices[$0])
                }
                let end = cut ?? rest.upperBound
                rest = end..<rest.upperBound
                if end - start > 1 { return start..<end }
            }
            return nil
        }
    }

    private static func isCut(_ first: WorldPoint, _ second: WorldPoint) -> Bool {
        first.x == second.x && first.x == first.x.rounded() || first.y == second.y && (first.y == 0 || first.y == 1)
    }
}
