/// A shape that is drawn some rows at a time, and each time by those of its edges alone that cross these rows: so it costs
/// the pixels that it covers and its edges once, however large the canvas is. Or only counted, before anything is drawn.
///
/// A value; any thread may read it.
package struct BandedShape: Sendable {
    /// An edge of an area, or a straight part of a line.
    struct Edge {
        let start: Point
        let end: Point
        /// Between which y it is seen, the pen's width included.
        let top: Double
        let bottom: Double

        init(_ start: Point, _ end: Point, reach: Double) {
            (self.start, self.end) = (start, end)
            (top, bottom) = (min(start.y, end.y) - reach, max(start.y, end.y) + reach)
        }
    }

    /// Pixels next to each other, and the edges that decide them.
    struct Part {
        let box: PixelBox
        let edges: ArraySlice<Edge>
    }

    private let width: Int
    private let height: Int
    /// From the uppermost on.
    private let edges: [Edge]
    let pen: Pen

    /// What is drawn along the edges.
    enum Pen {
        /// Nothing: what they enclose is filled.
        case none
        /// A round pen of so many pixels.
        case round(Double)
    }

    /// Rows of a part at most: a few hundred kilobytes of coverage where an image is widest, and less than a millisecond.
    private static let rows = 32

    /// What `Canvas.fill` draws of `path` on a canvas of `width` by `height` pixels, by the rule `nonZero`.
    package init(filling path: Path, width: Int, height: Int) {
        var edges: [Edge] = []
        for contour in path.contours {
            guard var previous = contour.last else { continue }
            for point in contour {
                let edge = Edge(previous, point, reach: 0)
                // What lies beyond the right edge says how far the area reaches.
                if edge.top < edge.bottom, edge.bottom > 0, edge.top < Double(height) { edges.append(edge) }
                previous = point
            }
        }
        self.init(edges, .none, width, height)
    }

    /// What `Canvas.stroke` draws along `path` with a round pen of `pen` pixels.
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
        self.init(edges, .round(pen), width, height)
    }

    private init(_ edges: [Edge], _ pen: Pen, _ width: Int, _ height: Int) {
        self.edges = edges.sorted { $0.top < $1.top }
        self.pen = pen
        self.width = width
        self.height = height
    }

    /// What drawing costs in pixels that are looked at: of an area those between its edges, of a line those under the pen,
    /// for each straight part. Counts no further than a little beyond `limit`, or until `isWanted`, which is asked for each part,
    /// says no.
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

    /// Visits all that must be drawn, until `visit` says that this is enough.
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
            guard visitParts(&active, rows, &spans, visit) else { return }
            top = rows.upperBound
        }
    }

    // MARK: Parts of a band

    /// Visits the parts of `rows`, whose edges `active` are, in any order; false where `visit` said that this is enough. `spans` is
    /// kept for its capacity: most bands have few edges, and there are thousands of bands.
    private func visitParts(
        _ active: inout [Edge], _ rows: Range<Int>, _ spans: inout [(span: Span, edge: Edge)], _ visit: (Part) -> Bool
    ) -> Bool {
        switch pen {
        case .none:
            let span = active.reduce(into: Span.none) { $0.formUnion(self.span(of: $1, rows)) }
            return box(span, rows).map { visit(Part(box: $0, edges: active[...])) } ?? true
        case .round: break
        }
        // Lines that do not meet leave what is between them alone.
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

    /// What edges can touch, in pixels and parts of them.
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

    /// The pixels of `rows` in `span`; nil where there are none.
    private func box(_ span: Span, _ rows: Range<Int>) -> PixelBox? {
        let left = max(span.left.rounded(.down), 0)
        let right = min(span.right.rounded(.up), Double(width))
        let top = max(span.top.rounded(.down), Double(rows.lowerBound))
        let bottom = min(span.bottom.rounded(.up), Double(rows.upperBound))
        guard left < right, top < bottom else { return nil }
        return PixelBox(left: Int(left), top: Int(top), right: Int(right), bottom: Int(bottom))
    }

    /// Between which x an edge can touch pixels from y `top` to `bottom`, and a little more.
    private func columns(of edge: Edge, _ top: Double, _ bottom: Double) -> ClosedRange<Double> {
        let reach = pen.reach
        let (upper, lower) = edge.start.y <= edge.end.y ? (edge.start, edge.end) : (edge.end, edge.start)
        let (west, east) = (min(upper.x, lower.x) - reach, max(upper.x, lower.x) + reach)
        let (deltaX, deltaY) = (lower.x - upper.x, lower.y - upper.y)
        // An area's edge as long as that is halved where it is drawn, and its middle rounded.
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
    /// Pixels from an edge that can be touched.
    fileprivate var reach: Double {
        switch self {
        case .none: 0
        case .round(let width): width / 2 + 0.5
        }
    }

    /// Pixels of a row under the pen, at most.
    fileprivate func columns(of edge: BandedShape.Edge) -> Double {
        let (deltaX, deltaY) = (abs(edge.end.x - edge.start.x), abs(edge.end.y - edge.start.y))
        guard deltaY * 4096 > deltaX else { return .infinity }
        let slope = deltaX / deltaY
        return 2 * (reach * (1 + slope * slope).squareRoot() + 1)
    }
}
