/// A straight part of a wide line, between two neighbouring points of a contour.
struct StrokeSegment {
    let start: Point
    let end: Point
    /// The length in pixels, above 0.
    let length: Double
    /// The direction of the segment, as a vector of length 1.
    let direction: Point
    /// The vector from the line to its edge, in whole subpixels. The vector points a quarter turn clockwise from
    /// `direction`.
    let side: Point
    /// A vector along the line, as long as `side`.
    let ahead: Point

    /// Creates a segment. Returns nil if both points are equal. `half` is half the width of the line in pixels.
    init?(from start: Point, to end: Point, half: Double) {
        guard start != end else { return nil }
        self.start = start
        self.end = end
        let delta = end - start
        length = delta.dot(delta).squareRoot()
        direction = Point(x: delta.x / length, y: delta.y / length)
        side = Point(x: -direction.y * half, y: direction.x * half).subpixelRounded
        ahead = Point(x: direction.x * half, y: direction.y * half).subpixelRounded
    }

    /// Returns the point that is `distance` pixels from the start.
    func point(at distance: Double) -> Point {
        if distance <= 0 { return start }
        if distance >= length { return end }
        return start + Point(x: direction.x * distance, y: direction.y * distance).subpixelRounded
    }

    /// Returns the part of the segment that can change pixels in `box`, as distances from the start of the segment.
    /// `reach` is how far from the line pixels can change. Returns nil if there is no such part.
    func part(near box: PixelBox, reach: Double) -> ClosedRange<Double>? {
        var (low, high) = (0.0, length)
        let sides = [
            (start.x, direction.x, box.left, box.right), (start.y, direction.y, box.top, box.bottom),
        ]
        for (place, slope, first, last) in sides {
            let (near, far) = (Double(first) - reach - place, Double(last) + reach - place)
            if slope == 0 {
                guard near < 0, far > 0 else { return nil }
            } else {
                low = max(low, min(near / slope, far / slope))
                high = min(high, max(near / slope, far / slope))
            }
        }
        return low <= high ? low...high : nil
    }
}

/// The dash pattern of a line. The pen is down in a dash and up in a gap.
struct StrokeDashes {
    private let lengths: [Double]
    private let period: Double

    /// Creates a pattern. `lengths` holds alternating lengths with the pen down and up. An empty array means that the
    /// pen is always down.
    init(_ lengths: [Double]) {
        self.lengths = lengths
        period = lengths.reduce(0, +)
    }

    /// A part of a segment in which the pen is down, as distances from the start of the segment.
    struct Part: Equatable {
        let start: Double
        let end: Double
        /// True if the pen goes down at `start`, and true if it goes up at `end`. If false, the segment itself starts
        /// or ends there.
        let beginsHere: Bool
        let endsHere: Bool
    }

    /// Reports whether the pen is down both before and after the point that is `travelled` pixels from the start of the
    /// contour.
    func runsOn(at travelled: Double) -> Bool {
        guard !lengths.isEmpty else { return true }
        var rest = travelled - (travelled / period).rounded(.down) * period
        for (index, length) in lengths.enumerated() {
            if rest < length { return index.isMultiple(of: 2) && rest > 0 }
            rest -= length
        }
        return false
    }

    /// Returns the parts of a segment in which the pen is down. The segment has the length `length` and begins
    /// `travelled` pixels from the start of the contour. Parts outside `visible` may be missing.
    func parts(of length: Double, from travelled: Double, visible: ClosedRange<Double>) -> [Part] {
        guard !lengths.isEmpty else { return [Part(start: 0, end: length, beginsHere: false, endsHere: false)] }
        var parts: [Part] = []
        var turn = ((travelled + visible.lowerBound) / period).rounded(.down)
        // Each position follows from the number of the period, so it does not depend on `visible`.
        while turn * period - travelled <= visible.upperBound {
            var place = turn * period - travelled
            for index in stride(from: 0, to: lengths.count, by: 2) {
                let (from, to) = (place, place + lengths[index])
                if to > 0, from < length, from < to {
                    parts.append(
                        Part(
                            start: max(from, 0), end: min(to, length), beginsHere: from >= 0, endsHere: to <= length))
                }
                place = to + lengths[index + 1]
            }
            turn += 1
        }
        return parts
    }
}
