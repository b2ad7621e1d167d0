import MapGeometry
import Raster
import Tiles

/// The part of the world that one tile shows. The window selects the lines near the tile, and converts positions to
/// pixels of the tile.
struct GeoJSONWindow {
    private let content: GeoJSONContent
    private let frame: TileFrame

    /// Distance in pixels below which vertices of a line may be left out.
    private static let detail = 0.25

    init(_ content: GeoJSONContent, _ frame: TileFrame) {
        self.content = content
        self.frame = frame
    }

    /// Returns the tile's box with a margin of `margin` pixels, moved `turn` worlds to the west.
    func box(margin: Double, turn: Int = 0) -> GeoJSONBox {
        let (unit, turn) = (frame.worldSide, Double(turn))
        return GeoJSONBox(
            left: (frame.left - margin) / unit - turn, top: (frame.top - margin) / unit,
            right: (frame.right + margin) / unit - turn, bottom: (frame.bottom + margin) / unit)
    }

    /// Converts a point to world pixels, moved `turn` worlds to the east. Rounds like a path. The tile's corner is a
    /// whole number, so subtracting it later needs no second rounding.
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

    /// Calls `body` with the rings of a polygon near the tile, in pixels of the tile. A ring comes as one or several
    /// chains of points, which together form the closed outline. `body` also gets the number of vertices in the file
    /// for each chain. Parts that are tiny or far from the tile are simplified.
    ///
    /// The array `chain` is used for the points, so that no new memory is needed.
    func forEachChain<Failure: Error>(
        ofArea shape: GeoJSONShape, turn: Int, _ chain: inout [Point],
        _ body: ([Point], _ vertices: Int) throws(Failure) -> Void
    ) throws(Failure) {
        let near = box(margin: 1, turn: turn)
        for number in shape.lines {
            let ring = content.lines[Int(number)]
            guard ring.box.meets(near) else { continue }
            // A short ring may be small as a whole, so it must keep its area.
            let detail = ring.boxes.isEmpty ? 0 : Self.detail
            try content.forEachPart(of: ring, near: near, detail: Self.detail / frame.worldSide) {
                (vertices, part) throws(Failure) in
                // A part beside the tile covers the same area of the tile as the straight line between its ends.
                thin(vertices, turn: turn, detail: part == .near ? detail : nil, to: &chain)
                try body(chain, vertices.count)
            }
        }
    }

    /// Calls `body` with the lines of `shape`, or with the outline of an area, in pixels of the tile. `isStart` is true
    /// for the first chain of a line. Lines of `width` pixels that do not reach the tile are left out. A chain with one
    /// point is a dot. A part of a line that is too far from the tile gives an empty chain, unless `isWhole`: dashes
    /// depend on the length of the line before them.
    ///
    /// Files cut areas at the edges of the world and at the antimeridian (RFC 7946 3.1.9). The outline leaves out these
    /// cuts.
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

    /// Converts a part of a line to pixels, and leaves out vertices that are not visible. The two ends are always
    /// included. Another vertex is included if its x or y differs by at least `detail` pixels from the last included
    /// one. If `detail` is nil, only the ends are included.
    ///
    /// A part has the same ends for each tile, so neighbouring tiles leave out the same vertices.
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

    /// Splits an outline at the steps where the area was cut. The result has the parts between these steps.
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
