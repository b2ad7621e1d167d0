/// Computes which part of each pixel is inside closed outlines. An edge of an outline stores, for the pixels that it
/// crosses, how the covered area changes there. A running sum along each row then gives the covered area of every
/// pixel.
///
/// All numbers are integers. The points where an edge crosses the borders of pixels are rounded down. They depend only
/// on the edge and not on the drawn rectangle. If a shape is moved by whole pixels, or drawn in a neighbouring tile, it
/// therefore covers its pixels in exactly the same way.
package struct AreaCoverage {
    private let box: PixelBox
    // Twice the change of covered area, in square subpixels. Each row has one column more than the box, for changes at
    // the right edge of the box.
    private var changes: [Int32]
    // The changes in the first column by edges left of the box that cross whole rows. An edge that goes down adds 1 at
    // its first whole row and -1 behind its last. The cost of such an edge is therefore independent of its length.
    private var turns: [Int32]

    /// The number of pixels that drawing touches.
    package var pixelCount: Int { box.width * box.height }

    /// The value of a pixel that lies completely inside one contour.
    static let full = Int32(2 * Path.subpixels * Path.subpixels)

    init(_ box: PixelBox) {
        self.box = box
        changes = [Int32](repeating: 0, count: (box.width + 1) * box.height)
        turns = [Int32](repeating: 0, count: box.height + 1)
    }

    /// Adds the closed outline through `contour`.
    mutating func add(_ contour: [Point]) {
        guard let last = contour.last else { return }
        add(contour, from: last)
    }

    /// Adds a part of an outline: the edges between consecutive points of `chain`. The points must be in whole
    /// subpixels, as in `Path`. All parts together must be closed. Returns the cost in units of one visited pixel.
    @discardableResult
    package mutating func add(chain: [Point]) -> Int {
        guard let first = chain.first else { return 0 }
        return add(chain, from: first)
    }

    /// Adds some edges of an outline. All edges together must be closed.
    mutating func add(_ edges: ArraySlice<BandedShape.Edge>) {
        let box = box
        changes.withUnsafeMutableBufferPointer { changes in
            turns.withUnsafeMutableBufferPointer { turns in
                var sink = EdgeSink(box, changes, turns)
                for edge in edges { sink.add(Subpixel(edge.start), Subpixel(edge.end)) }
            }
        }
    }

    @discardableResult
    private mutating func add(_ points: [Point], from start: Point) -> Int {
        let box = box
        return changes.withUnsafeMutableBufferPointer { changes in
            turns.withUnsafeMutableBufferPointer { turns in
                var edges = EdgeSink(box, changes, turns)
                var previous = Subpixel(start)
                for point in points {
                    let next = Subpixel(point)
                    edges.add(previous, next)
                    previous = next
                }
                return 3 * edges.work + 24 * points.count
            }
        }
    }

    /// Returns the covered area of each pixel, row by row. The numbers are in 0…`full`, which is twice the area of a
    /// pixel in square subpixels.
    func areas(_ rule: Canvas.FillRule) -> [Int32] {
        var areas: [Int32] = []
        areas.reserveCapacity(box.width * box.height)
        var turn: Int32 = 0
        for row in 0..<box.height {
            turn &+= turns[row]
            var sum = turn &* Self.full
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
                var turn: Int32 = 0
                for row in 0..<height {
                    turn &+= turns[row]
                    var sum = turn &* Self.full
                    var level = sum == 0 ? 0 : Self.level(Self.inside(sum, rule))
                    let from = row * (width + 1)
                    var column = 0
                    while column < width {
                        let end = Self.nextChange(changes, from + column, from + width) - from
                        levels[row * width + column..<row * width + end].update(repeating: level)
                        guard end < width else { break }
                        sum &+= changes[from + end]
                        level = Self.level(Self.inside(sum, rule))
                        levels[row * width + end] = level
                        column = end + 1
                    }
                }
            }
        }
        return coverage
    }

    /// Returns the first index in `start`..<`end` at which there is a change, or `end` if there is none.
    private static func nextChange(_ changes: UnsafeBufferPointer<Int32>, _ start: Int, _ end: Int) -> Int {
        let bytes = UnsafeRawBufferPointer(changes)
        var place = start
        while place + 8 <= end {
            let eight = bytes.loadUnaligned(fromByteOffset: place * 4, as: SIMD4<UInt64>.self)
            guard eight.x | eight.y | eight.z | eight.w == 0 else { break }
            place += 8
        }
        while place < end, changes[place] == 0 { place += 1 }
        return place
    }

    private static func level(_ area: Int32) -> UInt8 {
        UInt8(truncatingIfNeeded: (area * Int32(Coverage.full) + full / 2) / full)
    }

    /// Returns the covered area of a pixel whose winding sum is `sum`.
    private static func inside(_ sum: Int32, _ rule: Canvas.FillRule) -> Int32 {
        // With very many turns the sum may wrap around. The lowest Int32 has no positive counterpart.
        let sum = abs(max(sum, -Int32.max))
        switch rule {
        case .nonZero: return min(sum, full)
        case .evenOdd:
            let folded = sum % (2 * full)
            return folded > full ? 2 * full - folded : folded
        }
    }
}
