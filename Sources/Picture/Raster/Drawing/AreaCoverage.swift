/// The area that outlines enclose: each edge adds the change of covered area that it causes in its own pixels, and a
/// running sum along the row turns changes into coverage.
///
/// All of it is whole numbers. Where an edge crosses a pixel's border follows, rounded down, from the edge alone and
/// not from the box: moved by whole pixels, or seen from a neighbouring tile, it covers the same parts of its pixels.
package struct AreaCoverage {
    private let box: PixelBox
    // Twice the covered area in squares of `Path.subpixels`; one column more than the box has, for changes at its right
    // edge.
    private var changes: [Int32]
    // What edges left of the box change in its first column, of rows that they pass altogether: 1 where one begins that
    // goes down, -1 behind its end. So an edge far away costs the same however long it is.
    private var turns: [Int32]

    /// Pixels that are touched when it is drawn.
    package var pixelCount: Int { box.width * box.height }

    /// What a pixel counts that lies inside one contour.
    static let full = Int32(2 * Path.subpixels * Path.subpixels)

    init(_ box: PixelBox) {
        self.box = box
        changes = [Int32](repeating: 0, count: (box.width + 1) * box.height)
        turns = [Int32](repeating: 0, count: box.height + 1)
    }

    /// Adds the outline through `contour`, closed.
    mutating func add(_ contour: [Point]) {
        guard let last = contour.last else { return }
        add(contour, from: last)
    }

    /// Adds a part of an outline: the edges between one point of `chain` and the next, each in whole subpixels as `Path`
    /// has them. All parts together must be closed. Returns the work, of which
    /// a pixel that is looked at is one.
    @discardableResult
    package mutating func add(chain: [Point]) -> Int {
        guard let first = chain.first else { return 0 }
        return add(chain, from: first)
    }

    /// Adds some edges of an outline; all together must be closed.
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

    /// Twice the covered area of each pixel, row-major, 0…`full`.
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

    /// The first place of `start`..<`end` at which there is a change; `end` where there is none.
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
