/// Computes which part of each pixel is covered by lines that a round pen draws. The distance from the centre of a
/// pixel to the nearest line decides. Lines that meet or cross therefore do not cover a pixel twice.
///
/// The coverage of a pixel follows only from differences of coordinates, which are exact. A line that is moved by whole
/// pixels therefore covers its pixels in exactly the same way.
package struct StrokeCoverage {
    private(set) var coverage: Coverage
    private let radius: Double

    init(_ box: PixelBox, width: Double) {
        coverage = Coverage(box)
        radius = width / 2
    }

    /// The width of the pen in pixels.
    var width: Double { 2 * radius }

    /// The number of pixels that drawing touches.
    package var pixelCount: Int { coverage.box.width * coverage.box.height }

    /// Adds the lines between consecutive points of `contour`, or a dot if there is only one point. Returns the work
    /// that this took, in the unit of one visited pixel. Stops if the work exceeds `limit`.
    @discardableResult
    package mutating func add(_ contour: [Point], limit: Int = .max) -> Int {
        guard var previous = contour.first else { return 0 }
        let (box, radius) = (coverage.box, radius)
        return coverage.levels.withUnsafeMutableBufferPointer { levels in
            var work = 0
            for point in contour.count == 1 ? contour[...] : contour.dropFirst() {
                work += 10 + PenSegment(from: previous, to: point, radius: radius).add(to: levels, of: box)
                guard work <= limit else { return work }
                previous = point
            }
            return work
        }
    }

    /// Adds some straight segments of lines.
    mutating func add(_ edges: ArraySlice<BandedShape.Edge>) {
        let (box, radius) = (coverage.box, radius)
        coverage.levels.withUnsafeMutableBufferPointer { levels in
            for edge in edges {
                _ = PenSegment(from: edge.start, to: edge.end, radius: radius).add(to: levels, of: box)
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
    // 1 / squaredLength, or 0 for a point.
    private let inverse: Double
    // The distance from the line beyond which a pixel is not covered.
    private let reach: Double
    // The square of the distance up to which a pixel is fully covered, or -1 if the pen is too thin to cover a pixel
    // fully.
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

    /// Adds the pixels under this line to `levels`, which are the pixels of `box`. Returns the work in the unit of one
    /// visited pixel.
    func add(to levels: UnsafeMutableBufferPointer<UInt8>, of box: PixelBox) -> Int {
        let (low, high) = (min(start.y, end.y) - reach, max(start.y, end.y) + reach)
        guard max(start.x, end.x) + reach > Double(box.left), min(start.x, end.x) - reach < Double(box.right),
            high > Double(box.top), low < Double(box.bottom)
        else { return 0 }
        let slant = squaredLength > 64 ? Slant(deltaX, deltaY, reach) : nil
        var rows = low...high
        if let slant {
            guard let near = slant.rows(of: box, from: start, reach) else { return 0 }
            guard near.overlaps(rows) else { return 0 }
            rows = rows.clamped(to: near)
        }
        let top = rows.lowerBound > Double(box.top) ? Int(rows.lowerBound) : box.top
        let bottom = rows.upperBound < Double(box.bottom) ? Int(rows.upperBound) + 1 : box.bottom
        guard top < bottom else { return 0 }
        var columns = self.columns(of: box, min(start.x, end.x), max(start.x, end.x))
        var work = 0
        for row in top..<bottom {
            let y = Double(row) + 0.5 - start.y
            if let slant { columns = self.columns(of: box, slant, atY: y) }
            work += columns.count + 4
            let base = (row - box.top) * box.width - box.left
            // A line of many short segments visits pixels again that are already fully covered.
            for column in columns where levels[base + column] != Coverage.full {
                let level = self.level(Double(column) + 0.5 - start.x, y)
                if level > levels[base + column] { levels[base + column] = level }
            }
        }
        return work
    }

    /// Returns the columns that the line can affect if it runs between x `low` and x `high`.
    private func columns(of box: PixelBox, _ low: Double, _ high: Double) -> Range<Int> {
        let (low, high) = (low - reach, high + reach)
        guard low <= high, low < Double(box.right), high > Double(box.left) else { return box.left..<box.left }
        return (low > Double(box.left) ? Int(low) : box.left)..<(high < Double(box.right) ? Int(high) + 1 : box.right)
    }

    /// Returns the columns that the line can affect in the row whose middle is `y` below the start. The columns lie
    /// around the point where the row crosses the infinite line, by the width of the pen along the row.
    private func columns(of box: PixelBox, _ slant: Slant, atY y: Double) -> Range<Int> {
        let crossing = start.x + y * slant.slope
        return columns(
            of: box, max(min(start.x, end.x), crossing - slant.half), min(max(start.x, end.x), crossing + slant.half))
    }

    /// The slope of a line, from which the pixels near the line are found in each row. There is no slope for lines that
    /// are nearly horizontal.
    private struct Slant {
        /// Pixels to the right per pixel downwards.
        let slope: Double
        /// Half the width of the pixels along a row that the line can affect, plus one pixel.
        let half: Double

        init?(_ deltaX: Double, _ deltaY: Double, _ reach: Double) {
            guard abs(deltaY) * 4096 > abs(deltaX) else { return nil }
            slope = deltaX / deltaY
            half = reach * (1 + slope * slope).squareRoot() + 1
        }

        /// Returns the range of y in which the pen meets the columns of `box`, with a margin. Returns nil if the line
        /// is vertical and the pen does not come near the columns.
        func rows(of box: PixelBox, from start: Point, _ reach: Double) -> ClosedRange<Double>? {
            let margin = half + reach + 1
            let (left, right) = (Double(box.left) - margin - start.x, Double(box.right) + margin - start.x)
            guard slope != 0 else { return left < 0 && right > 0 ? -.infinity ... .infinity : nil }
            let (first, last) = (left / slope + start.y, right / slope + start.y)
            return min(first, last) - 1...max(first, last) + 1
        }
    }

    /// Returns the coverage of the pixel whose centre is at (`x`, `y`) relative to the start of the line.
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
