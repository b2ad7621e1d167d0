import Foundation

/// Computes the area of lines with any style of corners, ends and dashes. The area consists of a rectangle for each
/// segment or dash, a wedge at each corner and a cap at each end. The outlines of these parts all turn in the same
/// direction, so that the fill rule `nonZero` joins overlapping parts.
///
/// The distances from the line to its outline are computed from differences of coordinates. They are rounded to
/// subpixels before they are added. A line that is moved by whole pixels therefore has the same outline.
struct StrokeOutline {
    private(set) var coverage: AreaCoverage
    private let style: StrokeStyle
    private let dashes: StrokeDashes
    private let box: PixelBox
    private let half: Double

    init(_ box: PixelBox, style: StrokeStyle) {
        coverage = AreaCoverage(box)
        self.box = box
        self.style = style
        dashes = StrokeDashes(style.usableDashes)
        half = style.width / 2
    }

    /// Adds the lines of `contour`. If the last point equals the first point, the line has a corner there instead of
    /// ends.
    mutating func add(_ contour: [Point]) {
        let segments = zip(contour, contour.dropFirst()).compactMap { StrokeSegment(from: $0, to: $1, half: half) }
        guard let first = segments.first, let point = contour.first else {
            if let point = contour.first { addDot(at: point) }
            return
        }
        let isClosed = segments.count > 1 && contour.last == point
        var travelled = 0.0
        for (index, segment) in segments.enumerated() {
            let (isFirst, isLast) = (index == 0, index == segments.count - 1)
            if let visible = segment.part(near: box, reach: style.reach) {
                for dash in dashes.parts(of: segment.length, from: travelled, visible: visible) {
                    add(dash, of: segment, isOpen: !isClosed, isFirst: isFirst, isLast: isLast)
                }
            }
            travelled += segment.length
            guard !(isLast && !isClosed), dashes.runsOn(at: travelled) else { continue }
            addJoin(segment, isLast ? first : segments[index + 1])
        }
    }

    private mutating func add(
        _ dash: StrokeDashes.Part, of segment: StrokeSegment, isOpen: Bool, isFirst: Bool, isLast: Bool
    ) {
        let (start, end) = (segment.point(at: dash.start), segment.point(at: dash.end))
        let side = segment.side
        addConvex([start + side, end + side, end - side, start - side])
        if dash.beginsHere || (dash.start == 0 && isFirst && isOpen) { addCap(at: start, -segment.ahead, side) }
        if dash.endsHere || (dash.end == segment.length && isLast && isOpen) { addCap(at: end, segment.ahead, side) }
    }

    private mutating func addCap(at point: Point, _ ahead: Point, _ side: Point) {
        switch style.cap {
        case .butt: break
        case .square: addConvex([point + side, point + side + ahead, point - side + ahead, point - side])
        case .round: addArc(around: point, from: side, through: ahead, to: -side)
        }
    }

    /// Adds a contour of one point. Such a contour consists of two caps.
    private mutating func addDot(at point: Point) {
        let (ahead, side) = (Point(x: half, y: 0).subpixelRounded, Point(x: 0, y: half).subpixelRounded)
        addCap(at: point, ahead, side)
        addCap(at: point, -ahead, side)
    }

    /// Fills the gap on the outer side of the corner between `first` and `second`.
    private mutating func addJoin(_ first: StrokeSegment, _ second: StrokeSegment) {
        let corner = second.start
        guard corner.isNear(box, style.reach) else { return }
        let turn = first.direction.cross(second.direction)
        // `side` points a quarter turn clockwise. A positive turn bends in this direction, so the outer side is
        // opposite.
        let (from, to) = turn > 0 ? (-first.side, -second.side) : (first.side, second.side)
        switch style.join {
        case .bevel: addConvex([corner, corner + from, corner + to])
        case .round: addArc(around: corner, from: from, through: first.ahead, to: to)
        case .miter(let limit):
            var points = [corner, corner + from, corner + to]
            // The length of the mitre is 1 / cos(half the turn) half widths (SVG 2, 13.5.5).
            let cosine = ((1 + first.direction.dot(second.direction)) / 2).squareRoot()
            if cosine * limit >= 1, cosine > 0.01 {
                let sum = from + to
                let stretch = 1 / (2 * cosine * cosine)
                points.insert(corner + Point(x: sum.x * stretch, y: sum.y * stretch).subpixelRounded, at: 2)
            }
            addConvex(points)
        }
    }

    /// Adds a sector of a disc, at most half of the disc.
    private mutating func addArc(around center: Point, from: Point, through: Point, to: Point) {
        let start = atan2(from.y, from.x)
        var sweep = (atan2(to.y, to.x) - start).remainder(dividingBy: 2 * .pi)
        // A half turn has two possible directions. The arc takes the direction of `through`.
        if abs(sweep) > 3.1, from.cross(through) * sweep < 0 { sweep -= sweep > 0 ? 2 * .pi : -2 * .pi }
        // Chords deviate from the arc by at most a twentieth of a pixel.
        let steps = max(1, Int((abs(sweep) * (half * 2.5 + 1).squareRoot()).rounded(.up)))
        var points = [center, center + from]
        for step in stride(from: 1, to: steps, by: 1) {
            let angle = start + sweep * Double(step) / Double(steps)
            points.append(center + Point(x: half * cos(angle), y: half * sin(angle)).subpixelRounded)
        }
        addConvex(points + [center + to])
    }

    private mutating func addConvex(_ points: [Point]) {
        guard let origin = points.first else { return }
        let fan = zip(points.dropFirst(), points.dropFirst(2))
        let area = fan.reduce(0) { $0 + ($1.0 - origin).cross($1.1 - origin) }
        coverage.add(area < 0 ? points.reversed() : points)
    }
}

extension StrokeStyle {
    /// A distance from the line, in pixels, beyond which the pen does not reach.
    var reach: Double {
        guard case .miter(let limit) = join else { return width }
        return width * min(max(1, limit), 100)
    }
}

extension Point {
    func isNear(_ box: PixelBox, _ reach: Double) -> Bool {
        x + reach > Double(box.left) && x - reach < Double(box.right) && y + reach > Double(box.top)
            && y - reach < Double(box.bottom)
    }

    func cross(_ other: Point) -> Double { x * other.y - y * other.x }
    func dot(_ other: Point) -> Double { x * other.x + y * other.y }
    package static func + (left: Point, right: Point) -> Point { Point(x: left.x + right.x, y: left.y + right.y) }
    package static func - (left: Point, right: Point) -> Point { Point(x: left.x - right.x, y: left.y - right.y) }
    static prefix func - (point: Point) -> Point { Point(x: -point.x, y: -point.y) }
}
