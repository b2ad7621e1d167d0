/// What a round pen of some width covers: by the distance of each pixel's centre from the nearest line, so that lines
/// that meet or cross are not covered twice.
///
/// Only differences of places count, which are exact: a line that moves by whole pixels covers as much of its pixels.
struct StrokeCoverage {
    private(set) var coverage: Coverage
    private let radius: Double

    init(_ box: PixelBox, width: Double) {
        coverage = Coverage(box)
        radius = width / 2
    }

    mutating func add(_ contour: [Point]) {
        guard var previous = contour.first else { return }
        let (box, radius) = (coverage.box, radius)
        coverage.levels.withUnsafeMutableBufferPointer { levels in
            for point in contour.count == 1 ? contour[...] : contour.dropFirst() {
                PenSegment(from: previous, to: point, radius: radius).add(to: levels, of: box)
                previous = point
            }
        }
    }
}

/// A straight line that a round pen draws.
private struct PenSegment {
    private let start: Point
    private let end: Point
    private let radius: Double
    private let (deltaX, deltaY): (Double, Double)
    private let squaredLength: Double
    // 1 / squaredLength, and 0 for a point.
    private let inverse: Double
    // Beyond it, a pixel has nothing of the line.
    private let reach: Double
    // The square of the distance up to which a pixel is covered altogether; -1 where the pen is too thin for that.
    private let squaredCore: Double

    init(from start: Point, to end: Point, radius: Double) {
        self.start = start
        self.end = end
        self.radius = radius
        (deltaX, deltaY) = (end.x - start.x, end.y - start.y)
        squaredLength = deltaX * deltaX + deltaY * deltaY
        inverse = squaredLength > 0 ? 1 / squaredLength : 0
        reach = radius + 0.5
        squaredCore = radius > 0.5 ? (radius - 0.5) * (radius - 0.5) : -1
    }

    func add(to levels: UnsafeMutableBufferPointer<UInt8>, of box: PixelBox) {
        let (low, high) = (min(start.y, end.y) - reach, max(start.y, end.y) + reach)
        guard max(start.x, end.x) + reach > Double(box.left), min(start.x, end.x) - reach < Double(box.right),
            high > Double(box.top), low < Double(box.bottom)
        else { return }
        let top = low > Double(box.top) ? Int(low) : box.top
        let bottom = high < Double(box.bottom) ? Int(high) + 1 : box.bottom
        let isLong = squaredLength > 64
        var columns = self.columns(of: box, min(start.x, end.x), max(start.x, end.x))
        for row in top..<bottom {
            let y = Double(row) + 0.5 - start.y
            if isLong { columns = self.columns(of: box, atY: y) }
            let base = (row - box.top) * box.width - box.left
            // Lines of many short parts meet pixels again and again that they have filled already.
            for column in columns where levels[base + column] != Coverage.full {
                let level = self.level(Double(column) + 0.5 - start.x, y)
                if level > levels[base + column] { levels[base + column] = level }
            }
        }
    }

    /// The columns that the line can touch between two x.
    private func columns(of box: PixelBox, _ low: Double, _ high: Double) -> Range<Int> {
        let (low, high) = (low - reach, high + reach)
        guard low <= high, low < Double(box.right), high > Double(box.left) else { return box.left..<box.left }
        return (low > Double(box.left) ? Int(low) : box.left)..<(high < Double(box.right) ? Int(high) + 1 : box.right)
    }

    /// The same in the row whose middle is `y` below the start: where the row crosses the endless line, and as much on
    /// both sides as the pen is wide along the row.
    private func columns(of box: PixelBox, atY y: Double) -> Range<Int> {
        let (low, high) = (min(start.x, end.x), max(start.x, end.x))
        guard abs(deltaY) * 4096 > abs(deltaX) else { return columns(of: box, low, high) }
        let crossing = start.x + y * deltaX / deltaY
        let half = reach * (squaredLength / (deltaY * deltaY)).squareRoot() + 1
        return columns(of: box, max(low, crossing - half), min(high, crossing + half))
    }

    /// The coverage of the pixel whose centre lies (`x`, `y`) from the start.
    private func level(_ x: Double, _ y: Double) -> UInt8 {
        let along = min(max((x * deltaX + y * deltaY) * inverse, 0), 1)
        let (offX, offY) = (x - along * deltaX, y - along * deltaY)
        let squared = offX * offX + offY * offY
        if squared <= squaredCore { return Coverage.full }
        guard squared < reach * reach else { return 0 }
        let distance = squared.squareRoot()
        let covered = min(distance + 0.5, radius) - max(distance - 0.5, -radius)
        return Coverage.level(min(max(covered, 0), 1))
    }
}
