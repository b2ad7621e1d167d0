/// Whole pixels of a canvas: columns `left`..<`right`, rows `top`..<`bottom`.
struct PixelBox: Equatable {
    let left: Int
    let top: Int
    let right: Int
    let bottom: Int

    var width: Int { right - left }
    var height: Int { bottom - top }
}

/// How much of each pixel of a box a shape covers, 0…1, row-major.
struct Coverage {
    let box: PixelBox
    var values: [Double]

    init(_ box: PixelBox) {
        self.box = box
        values = [Double](repeating: 0, count: box.width * box.height)
    }

    /// By column and row within the box.
    subscript(column: Int, row: Int) -> Double {
        get { values[row * box.width + column] }
        set { values[row * box.width + column] = newValue }
    }
}

/// The area that outlines enclose, exactly: each edge adds the change of covered area that it causes in its own pixels,
/// and a running sum along the row turns changes into coverage.
struct AreaCoverage {
    private let box: PixelBox
    // One column more than the box has, for changes at its right edge.
    private var changes: [Double]

    init(_ box: PixelBox) {
        self.box = box
        changes = [Double](repeating: 0, count: (box.width + 1) * box.height)
    }

    mutating func add(_ contour: [Point]) {
        guard var previous = contour.last else { return }
        for point in contour {
            addEdge(from: previous, to: point)
            previous = point
        }
    }

    func resolved(_ rule: Canvas.FillRule) -> Coverage {
        var coverage = Coverage(box)
        for row in 0..<box.height {
            var sum = 0.0
            for column in 0..<box.width {
                sum += changes[row * (box.width + 1) + column]
                coverage[column, row] = Self.inside(abs(sum), rule)
            }
        }
        return coverage
    }

    /// Coverage from the winding `sum` (at least 0) of a pixel's area.
    private static func inside(_ sum: Double, _ rule: Canvas.FillRule) -> Double {
        switch rule {
        case .nonZero:
            return min(sum, 1)
        case .evenOdd:
            let folded = sum - 2 * (sum / 2).rounded(.down)
            return folded > 1 ? 2 - folded : folded
        }
    }

    private mutating func addEdge(from start: Point, to end: Point) {
        guard start.y != end.y else { return }
        let direction = start.y < end.y ? 1.0 : -1
        let (upper, lower) = start.y < end.y ? (start, end) : (end, start)
        let slope = (lower.x - upper.x) / (lower.y - upper.y)
        let top = max(upper.y, Double(box.top))
        let bottom = min(lower.y, Double(box.bottom))
        guard top < bottom else { return }
        for row in Int(top)..<Int(bottom.rounded(.up)) {
            let from = max(top, Double(row))
            let to = min(bottom, Double(row + 1))
            let left = upper.x + slope * (from - upper.y)
            let right = upper.x + slope * (to - upper.y)
            addSpan(row: row - box.top, from: min(left, right), to: max(left, right), height: (to - from) * direction)
        }
    }

    /// An edge that crosses one row between x `from` and `to`, over a part `height` of the row.
    private mutating func addSpan(row: Int, from: Double, to: Double, height: Double) {
        let base = row * (box.width + 1)
        let from = min(max(from - Double(box.left), 0), Double(box.width))
        let to = min(max(to - Double(box.left), 0), Double(box.width))
        let first = Int(from)
        let last = max(first, Int(to.rounded(.up)) - 1)
        var covered = 0.0
        for column in first...last {
            // The edge's share of this pixel: what lies right of it here is covered, and all that follows.
            let share = to > from ? (min(to, Double(column + 1)) - max(from, Double(column))) / (to - from) : 1
            let middle = (min(to, Double(column + 1)) + max(from, Double(column))) / 2
            let area = height * share * (Double(column + 1) - middle)
            guard column < box.width else { return }
            changes[base + column] += area + covered
            covered = height * share - area
        }
        changes[base + last + 1] += covered
    }
}

/// What a pen of some width covers: by the distance of each pixel's centre from the nearest line, so that lines that meet
/// or cross are not covered twice.
struct StrokeCoverage {
    private(set) var coverage: Coverage
    private let radius: Double

    init(_ box: PixelBox, width: Double) {
        coverage = Coverage(box)
        radius = width / 2
    }

    mutating func add(_ contour: [Point]) {
        guard var previous = contour.first else { return }
        for point in contour.count == 1 ? contour[...] : contour.dropFirst() {
            addSegment(from: previous, to: point)
            previous = point
        }
    }

    private mutating func addSegment(from start: Point, to end: Point) {
        let box = coverage.box
        let reach = radius + 0.5
        let left = max(box.left, Int((min(start.x, end.x) - reach).rounded(.down)))
        let right = min(box.right, Int((max(start.x, end.x) + reach).rounded(.up)))
        let top = max(box.top, Int((min(start.y, end.y) - reach).rounded(.down)))
        let bottom = min(box.bottom, Int((max(start.y, end.y) + reach).rounded(.up)))
        guard left < right, top < bottom else { return }
        let (dx, dy) = (end.x - start.x, end.y - start.y)
        let squaredLength = dx * dx + dy * dy
        for row in top..<bottom {
            let y = Double(row) + 0.5 - start.y
            for column in left..<right {
                let x = Double(column) + 0.5 - start.x
                let along = squaredLength > 0 ? min(max((x * dx + y * dy) / squaredLength, 0), 1) : 0
                let (offX, offY) = (x - along * dx, y - along * dy)
                let distance = (offX * offX + offY * offY).squareRoot()
                let covered = min(distance + 0.5, radius) - max(distance - 0.5, -radius)
                let index = (row - box.top) * box.width + column - box.left
                if covered > coverage.values[index] { coverage.values[index] = min(covered, 1) }
            }
        }
    }
}
