/// A point in whole subpixels.
struct Subpixel {
    let x: Int
    let y: Int
}

extension Subpixel {
    /// Converts a point of a `Path`. The conversion cannot overflow, because `Path` limits the coordinates of its
    /// points.
    init(_ point: Point) {
        x = Int(point.x * Double(Path.subpixels))
        y = Int(point.y * Double(Path.subpixels))
    }
}

/// Adds edges of outlines to the sums in an `AreaCoverage`.
struct EdgeSink {
    private let changes: UnsafeMutableBufferPointer<Int32>
    private let turns: UnsafeMutableBufferPointer<Int32>
    /// About the number of pixels that the edges have crossed.
    private(set) var work = 0
    private let rowLength: Int
    private let left: Int
    private let top: Int
    private let right: Int
    private let bottom: Int

    private static let unit = Path.subpixels
    // The longest edge in subpixels. The product of two such lengths fits into an Int.
    static let longest = 1 << 30

    init(
        _ box: PixelBox, _ changes: UnsafeMutableBufferPointer<Int32>, _ turns: UnsafeMutableBufferPointer<Int32>
    ) {
        self.changes = changes
        self.turns = turns
        rowLength = box.width + 1
        left = box.left * Self.unit
        top = box.top * Self.unit
        right = box.right * Self.unit
        bottom = box.bottom * Self.unit
    }

    mutating func add(_ start: Subpixel, _ end: Subpixel) {
        if start.y < end.y {
            addDownward(start, end, direction: 1)
        } else if start.y > end.y {
            addDownward(end, start, direction: -1)
        }
    }

    private mutating func addDownward(_ upper: Subpixel, _ lower: Subpixel, direction: Int) {
        // The halves of a long edge may have a height of 0 after rounding.
        guard upper.y < lower.y, lower.y > top, upper.y < bottom, min(upper.x, lower.x) < right else { return }
        if max(upper.x, lower.x) <= left {
            addBeside(from: max(upper.y, top), to: min(lower.y, bottom), direction: direction)
        } else if abs(lower.x - upper.x) > Self.longest || lower.y - upper.y > Self.longest {
            // The middle depends only on the edge, so the halves are equal in every box.
            let middle = Subpixel(x: (upper.x + lower.x) >> 1, y: (upper.y + lower.y) >> 1)
            addDownward(upper, middle, direction: direction)
            addDownward(middle, lower, direction: direction)
        } else {
            addRows(upper, lower, direction: direction)
        }
    }

    /// Adds an edge left of the box, from y `start` to y `end`. Both must be within the box.
    private func addBeside(from start: Int, to end: Int, direction: Int) {
        let (first, last) = ((start - top) / Self.unit, (end - top) / Self.unit)
        let height = { (part: Int) in 2 * Self.unit * part * direction }
        guard first < last else { return change(first * rowLength, by: height(end - start)) }
        change(first * rowLength, by: height((first + 1) * Self.unit + top - start))
        turns[first + 1] &+= Int32(truncatingIfNeeded: direction)
        turns[last] &-= Int32(truncatingIfNeeded: direction)
        let rest = end - top - last * Self.unit
        if rest > 0 { change(last * rowLength, by: height(rest)) }
    }

    private mutating func addRows(_ upper: Subpixel, _ lower: Subpixel, direction: Int) {
        let (width, height) = (lower.x - upper.x, lower.y - upper.y)
        let end = min(lower.y, bottom)
        var y = max(upper.y, top)
        // The edge is at `x` plus the fraction `part` / `height` of a subpixel.
        var (x, part) = y == upper.y ? (upper.x, 0) : floorDivided(width * (y - upper.y), by: height, from: upper.x)
        let last = end == lower.y ? lower.x : floorDivided(width * (end - upper.y), by: height, from: upper.x).whole
        guard min(x, last) < right else { return }
        guard max(x, last) > left else { return addBeside(from: y, to: end, direction: direction) }
        work += (end - y + min(max(x, last), right) - max(min(x, last), left)) / Self.unit
        let step = end - y > Self.unit ? floorDivided(width * Self.unit, by: height, from: 0) : (whole: 0, part: 0)
        while y < end {
            let row = y / Self.unit
            let nextY = min(end, (row + 1) * Self.unit)
            // The additions give exactly the result of a division for each row.
            var (nextX, nextPart) = (last, 0)
            if nextY < end {
                if nextY - y == Self.unit {
                    (nextX, nextPart) = (x + step.whole, part + step.part)
                    if nextPart >= height { (nextX, nextPart) = (nextX + 1, nextPart - height) }
                } else {
                    (nextX, nextPart) = floorDivided(width * (nextY - y) + part, by: height, from: x)
                }
            }
            let base = (row &- top / Self.unit) &* rowLength
            let (from, to) = (min(x, nextX), max(x, nextX))
            let column = (from &- left) / Self.unit
            let edge = left &+ column &* Self.unit
            if from >= left, to <= edge &+ Self.unit, to < right {
                // The edge stays within one pixel, which is the most frequent case. This code does the work of
                // `addSpan` in a third of the time.
                let area = (nextY &- y) &* direction
                let outside = area &* (from &+ to &- 2 &* edge)
                change(base &+ column, by: 2 &* Self.unit &* area &- outside)
                change(base &+ column &+ 1, by: outside)
            } else {
                addSpan(base, from: from, to: to, height: nextY - y, direction: direction)
            }
            (x, part, y) = (nextX, nextPart, nextY)
        }
    }

    /// Adds the part of an edge that lies within one row. The part goes from x `from` to x `to` and is `height`
    /// subpixels high.
    private func addSpan(_ base: Int, from: Int, to: Int, height: Int, direction: Int) {
        guard from < right else { return }
        guard to > left else { return change(base, by: 2 * Self.unit * height * direction) }
        let width = to - from
        var x = from
        var reached = 0
        if from < left {
            reached = left == to ? height : (left - from) * height / width
            change(base, by: 2 * Self.unit * reached * direction)
            x = left
        }
        repeat {
            let column = (x - left) / Self.unit
            guard x < right else { return }
            let edge = left + column * Self.unit
            let nextX = min(to, edge + Self.unit)
            let nextReached = nextX == to ? height : (nextX - from) * height / width
            // In this pixel the area right of the edge is covered. All later pixels of the row are covered completely.
            let area = (nextReached - reached) * direction
            let outside = area * (x + nextX - 2 * edge)
            change(base + column, by: 2 * Self.unit * area - outside)
            change(base + column + 1, by: outside)
            (x, reached) = (nextX, nextReached)
        } while x < to
    }

    private func change(_ index: Int, by amount: Int) {
        changes[index] &+= Int32(truncatingIfNeeded: amount)
    }

    /// Returns `start` plus the quotient, rounded down, and the remainder of the division.
    private func floorDivided(_ dividend: Int, by divisor: Int, from start: Int) -> (whole: Int, part: Int) {
        let (quotient, rest) = dividend.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (start + quotient - 1, rest + divisor) : (start + quotient, rest)
    }
}
