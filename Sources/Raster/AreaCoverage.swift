/// The area that outlines enclose: each edge adds the change of covered area that it causes in its own pixels, and a
/// running sum along the row turns changes into coverage.
///
/// All of it is whole numbers. Where an edge crosses a pixel's border follows, rounded down, from the edge alone and
/// not from the box: moved by whole pixels, or seen from a neighbouring tile, it covers the same parts of its pixels.
struct AreaCoverage {
    private let box: PixelBox
    // Twice the covered area in squares of `Path.subpixels`; one column more than the box has, for changes at its right
    // edge.
    private var changes: [Int32]

    /// What a pixel counts that lies inside one contour.
    static let full = Int32(2 * Path.subpixels * Path.subpixels)

    init(_ box: PixelBox) {
        self.box = box
        changes = [Int32](repeating: 0, count: (box.width + 1) * box.height)
    }

    /// Adds the outline through `contour`, closed.
    mutating func add(_ contour: [Point]) {
        guard let last = contour.last else { return }
        let box = box
        changes.withUnsafeMutableBufferPointer { changes in
            let edges = EdgeSink(box, changes)
            var previous = Subpixel(last)
            for point in contour {
                let next = Subpixel(point)
                edges.add(previous, next)
                previous = next
            }
        }
    }

    /// Twice the covered area of each pixel, row-major, 0…`full`.
    func areas(_ rule: Canvas.FillRule) -> [Int32] {
        var areas: [Int32] = []
        areas.reserveCapacity(box.width * box.height)
        for row in 0..<box.height {
            var sum: Int32 = 0
            for column in 0..<box.width {
                sum &+= changes[row * (box.width + 1) + column]
                areas.append(Self.inside(sum, rule))
            }
        }
        return areas
    }

    func resolved(_ rule: Canvas.FillRule) -> Coverage {
        var coverage = Coverage(box)
        let (width, height) = (box.width, box.height)
        coverage.levels.withUnsafeMutableBufferPointer { levels in
            changes.withUnsafeBufferPointer { changes in
                for row in 0..<height {
                    var (sum, level): (Int32, UInt8) = (0, 0)
                    let from = row * (width + 1)
                    for column in 0..<width {
                        let change = changes[from + column]
                        if change != 0 {
                            sum &+= change
                            level = Self.level(Self.inside(sum, rule))
                        }
                        levels[row * width + column] = level
                    }
                }
            }
        }
        return coverage
    }

    private static func level(_ area: Int32) -> UInt8 {
        UInt8(truncatingIfNeeded: (area * Int32(Coverage.full) + full / 2) / full)
    }

    /// Area from the winding `sum` of a pixel.
    private static func inside(_ sum: Int32, _ rule: Canvas.FillRule) -> Int32 {
        // Of very many turns the sum has wrapped around; its least value has no positive counterpart.
        let sum = abs(max(sum, -Int32.max))
        switch rule {
        case .nonZero: return min(sum, full)
        case .evenOdd:
            let folded = sum % (2 * full)
            return folded > full ? 2 * full - folded : folded
        }
    }
}

/// A point in whole subpixels.
private struct Subpixel {
    let x: Int
    let y: Int

    init(x: Int, y: Int) {
        self.x = x
        self.y = y
    }

    /// `Path` keeps its points within what an Int holds.
    init(_ point: Point) {
        x = Int(point.x * Double(Path.subpixels))
        y = Int(point.y * Double(Path.subpixels))
    }
}

/// Adds edges to the changes of a box.
private struct EdgeSink {
    private let changes: UnsafeMutableBufferPointer<Int32>
    private let rowLength: Int
    private let left: Int
    private let top: Int
    private let right: Int
    private let bottom: Int

    private static let unit = Path.subpixels
    // Products of two such lengths fit into an Int.
    private static let longest = 1 << 30

    init(_ box: PixelBox, _ changes: UnsafeMutableBufferPointer<Int32>) {
        self.changes = changes
        rowLength = box.width + 1
        left = box.left * Self.unit
        top = box.top * Self.unit
        right = box.right * Self.unit
        bottom = box.bottom * Self.unit
    }

    func add(_ start: Subpixel, _ end: Subpixel) {
        if start.y < end.y {
            addDownward(start, end, direction: 1)
        } else if start.y > end.y {
            addDownward(end, start, direction: -1)
        }
    }

    private func addDownward(_ upper: Subpixel, _ lower: Subpixel, direction: Int) {
        // The halves of a long edge may have lost their height.
        guard upper.y < lower.y, lower.y > top, upper.y < bottom, min(upper.x, lower.x) < right else { return }
        if max(upper.x, lower.x) <= left {
            addRows(Subpixel(x: left, y: upper.y), Subpixel(x: left, y: lower.y), direction: direction)
        } else if abs(lower.x - upper.x) > Self.longest || lower.y - upper.y > Self.longest {
            // The halves depend on the edge alone, so every box sees the same ones.
            let middle = Subpixel(x: (upper.x + lower.x) >> 1, y: (upper.y + lower.y) >> 1)
            addDownward(upper, middle, direction: direction)
            addDownward(middle, lower, direction: direction)
        } else {
            addRows(upper, lower, direction: direction)
        }
    }

    private func addRows(_ upper: Subpixel, _ lower: Subpixel, direction: Int) {
        let (width, height) = (lower.x - upper.x, lower.y - upper.y)
        let end = min(lower.y, bottom)
        var y = max(upper.y, top)
        var x = width == 0 ? upper.x : upper.x + floorQuotient(width * (y - upper.y), height)
        while y < end {
            let row = y / Self.unit
            let nextY = min(lower.y, (row + 1) * Self.unit)
            let nextX = width == 0 ? x : upper.x + floorQuotient(width * (nextY - upper.y), height)
            let base = (row - top / Self.unit) * rowLength
            addSpan(base, from: min(x, nextX), to: max(x, nextX), height: nextY - y, direction: direction)
            (x, y) = (nextX, nextY)
        }
    }

    /// The part of an edge within one row, between x `from` and `to`, `height` subpixels high.
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
            // What lies right of the edge in this pixel is covered, and all that follows.
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

    private func floorQuotient(_ dividend: Int, _ divisor: Int) -> Int {
        let quotient = dividend / divisor
        return dividend % divisor < 0 ? quotient - 1 : quotient
    }
}
