/// A shape that is drawn in bands, each of which has a few rows of pixels. A band needs only the edges that cross its
/// rows. The time to draw a shape therefore depends on its edges and on the visited pixels, but not on the size of the
/// canvas. `cost(limit:isWanted:)` estimates this time before drawing.
///
/// Thread rule: any thread may read it.
package struct BandedShape: Sendable {
    /// An edge of an area, or a straight segment of a line.
    struct Edge {
        let start: Point
        let end: Point
        /// The range of y that the edge affects, including the width of the pen.
        let top: Double
        let bottom: Double

        init(_ start: Point, _ end: Point, reach: Double) {
            (self.start, self.end) = (start, end)
            (top, bottom) = (min(start.y, end.y) - reach, max(start.y, end.y) + reach)
        }
    }

    /// A rectangle of pixels, and the edges that affect it.
    struct Part {
        let box: PixelBox
        let edges: ArraySlice<Edge>
    }

    private let width: Int
    private let height: Int
    /// The edges in the order of their upper ends.
    private let edges: [Edge]
    let pen: Pen

    /// The tool that draws along the edges.
    enum Pen {
        /// No pen: the enclosed area is filled.
        case none
        /// A round pen with a diameter in pixels.
        case round(Double)
    }

    /// The maximum number of rows of a part. A part of the widest image then needs 2.5 MiB for its sums and its
    /// coverage.
    private static let rows = 32

    /// Creates a shape that fills the area of `path` on a canvas of `width` by `height` pixels. The result is the same
    /// as with `Canvas.fill` and the rule `nonZero`.
    package init(filling path: Path, width: Int, height: Int) {
        var edges: [Edge] = []
        for contour in path.contours {
            guard var previous = contour.last else { continue }
            for point in contour {
                let edge = Edge(previous, point, reach: 0)
                // Edges beyond the right edge of the canvas are kept, because they determine the extent of the area.
                if edge.top < edge.bottom, edge.bottom > 0, edge.top < Double(height) { edges.append(edge) }
                previous = point
            }
        }
        self.init(edges, .none, width: width, height: height)
    }

    /// Creates a shape that draws lines along `path` with a round pen. `pen` is the diameter of the pen in pixels. The
    /// result is the same as with `Canvas.stroke`.
    package init(stroking path: Path, pen: Double, width: Int, height: Int) {
        var edges: [Edge] = []
        let reach = Pen.round(pen).reach
        for contour in path.contours where pen > 0 && pen.isFinite {
            for (start, end) in zip(contour, contour.count == 1 ? contour[...] : contour.dropFirst()) {
                let edge = Edge(start, end, reach: reach)
                if edge.bottom > 0, edge.top < Double(height), min(start.x, end.x) - reach < Double(width),
                    max(start.x, end.x) + reach > 0
                {
                    edges.append(edge)
                }
            }
        }
        self.init(edges, .round(pen), width: width, height: height)
    }

    private init(_ edges: [Edge], _ pen: Pen, width: Int, height: Int) {
        self.edges = edges.sorted { $0.top < $1.top }
        self.pen = pen
        self.width = width
        self.height = height
    }

    /// Returns the cost of drawing in visited pixels. An area visits the pixels between its edges. A line visits the
    /// pixels under the pen, for each straight segment. Counting stops soon after `limit` is exceeded. Counting also
    /// stops if `isWanted`, which is called once per part, returns false.
    package func cost(limit: Int, isWanted: () -> Bool = { true }) -> Int {
        var cost = 0
        forEachPart { part in
            guard isWanted() else { return false }
            cost += part.box.width * part.box.height
            for edge in part.edges where cost <= limit { cost += self.cost(of: edge, in: part.box) }
            return cost <= limit
        }
        return cost
    }

    private func cost(of edge: Edge, in box: PixelBox) -> Int {
        let columns = columns(of: edge, Double(box.top), Double(box.bottom))
        let across = max(min(columns.upperBound, Double(box.right)) - max(columns.lowerBound, Double(box.left)), 0)
        let down = max(min(edge.bottom, Double(box.bottom)) - max(edge.top, Double(box.top)), 0)
        switch pen {
        case .none: return Int(across + down) + 1
        case .round: return Int(min(across, pen.columns(of: edge)) * down) + 1
        }
    }

    /// Divides the shape into parts of a limited size and calls `visit` for each of them. Stops if `visit` returns
    /// false.
    func forEachPart(_ visit: (Part) -> Bool) {
        var active: [Edge] = []
        var spans: [(span: Span, edge: Edge)] = []
        var next = 0
        var top = 0
        while top < height {
            active.removeAll { $0.bottom <= Double(top) }
            if active.isEmpty {
                guard next < edges.count else { return }
                if edges[next].top > Double(top) { top = Int(edges[next].top) }
            }
            let rows = top..<min(top + Self.rows, height)
            while next < edges.count, edges[next].top < Double(rows.upperBound) {
                active.append(edges[next])
                next += 1
            }
            guard visitParts(&active, rows, &spans, visit: visit) else { return }
            top = rows.upperBound
        }
    }

    // MARK: Parts of a band

    /// Calls `visit` for each part of the band `rows`. `active` has the edges of these rows in any order. Returns false
    /// if `visit` returned false. The content of `spans` has no meaning for the caller. It is a parameter so that all
    /// bands use the same memory.
    private func visitParts(
        _ active: inout [Edge], _ rows: Range<Int>, _ spans: inout [(span: Span, edge: Edge)], visit: (Part) -> Bool
    ) -> Bool {
        switch pen {
        case .none:
            let span = active.reduce(into: Span.none) { $0.formUnion(self.span(of: $1, rows)) }
            return box(span, rows).map { visit(Part(box: $0, edges: active[...])) } ?? true
        case .round: break
        }
        // Lines that are far apart become separate parts, so that the pixels between them are not visited.
        spans.removeAll(keepingCapacity: true)
        for edge in active { spans.append((span(of: edge, rows), edge)) }
        spans.sort { $0.span.left < $1.span.left }
        for index in spans.indices { active[index] = spans[index].edge }
        var first = 0
        while first < spans.count {
            var (span, end) = (spans[first].span, first + 1)
            while end < spans.count, spans[end].span.left.rounded(.down) <= span.right.rounded(.up) {
                span.formUnion(spans[end].span)
                end += 1
            }
            if let box = box(span, rows), !visit(Part(box: box, edges: active[first..<end])) { return false }
            first = end
        }
        return true
    }

    /// The rectangle in which some edges can change pixels. Its sides need not be whole pixels.
    private struct Span {
        var left: Double
        var top: Double
        var right: Double
        var bottom: Double

        static let none = Span(left: .infinity, top: .infinity, right: -.infinity, bottom: -.infinity)

        mutating func formUnion(_ other: Span) {
            (left, right) = (min(left, other.left), max(right, other.right))
            (top, bottom) = (min(top, other.top), max(bottom, other.bottom))
        }
    }

    private func span(of edge: Edge, _ rows: Range<Int>) -> Span {
        let columns = columns(of: edge, Double(rows.lowerBound), Double(rows.upperBound))
        return Span(left: columns.lowerBound, top: edge.top, right: columns.upperBound, bottom: edge.bottom)
    }

    /// Returns the pixels of `rows` in `span`, or nil if there are none.
    private func box(_ span: Span, _ rows: Range<Int>) -> PixelBox? {
        let left = max(span.left.rounded(.down), 0)
        let right = min(span.right.rounded(.up), Double(width))
        let top = max(span.top.rounded(.down), Double(rows.lowerBound))
        let bottom = min(span.bottom.rounded(.up), Double(rows.upperBound))
        guard left < right, top < bottom else { return nil }
        return PixelBox(left: Int(left), top: Int(top), right: Int(right), bottom: Int(bottom))
    }

    /// Returns the range of x in which `edge` can change pixels between y `top` and `bottom`. The range may be too
    /// large, but never too small.
    private func columns(of edge: Edge, _ top: Double, _ bottom: Double) -> ClosedRange<Double> {
        let reach = pen.reach
        let (upper, lower) = edge.start.y <= edge.end.y ? (edge.start, edge.end) : (edge.end, edge.start)
        let (west, east) = (min(upper.x, lower.x) - reach, max(upper.x, lower.x) + reach)
        let (deltaX, deltaY) = (lower.x - upper.x, lower.y - upper.y)
        // Drawing halves a longer edge of an area and rounds its middle, so the slope would not be exact.
        guard deltaY > 0, abs(deltaX) < Self.longest, deltaY < Self.longest else { return west...east }
        let slope = deltaX / deltaY
        let first = upper.x + slope * (max(upper.y, top - reach) - upper.y)
        let last = upper.x + slope * (min(lower.y, bottom + reach) - upper.y)
        let low = max(west, min(first, last) - reach - 1)
        return low...max(low, min(east, max(first, last) + reach + 1))
    }

    private static let longest = Double(EdgeSink.longest / Path.subpixels)
}

extension BandedShape.Pen {
    /// The greatest distance from an edge, in pixels, at which a pixel can be affected.
    fileprivate var reach: Double {
        switch self {
        case .none: 0
        case .round(let width): width / 2 + 0.5
        }
    }

    /// Returns the maximum number of pixels in a row that are under the pen.
    fileprivate func columns(of edge: BandedShape.Edge) -> Double {
        let (deltaX, deltaY) = (abs(edge.end.x - edge.start.x), abs(edge.end.y - edge.start.y))
        guard deltaY * 4096 > deltaX else { return .infinity }
        let slope = deltaX / deltaY
        return 2 * (reach * (1 + slope * slope).squareRoot() + 1)
    }
}
