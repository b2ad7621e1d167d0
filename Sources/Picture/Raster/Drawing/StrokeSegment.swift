/// A straight part of a line that has a width.
struct StrokeSegment {
    let start: Point
    let end: Point
    /// Pixels, above 0.
    let length: Double
    /// Of length 1.
    let direction: Point
    /// From the line to its edge, a quarter turn clockwise from `direction`, in whole subpixels.
    let side: Point
    /// As long as `side`, along the line.
    let ahead: Point

    /// Nil where the points are the same. `half`: half the line's width in pixels.
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

    /// The place `distance` pixels from the start.
    func point(at distance: Double) -> Point {
        if distance <= 0 { return start }
        if distance >= length { return end }
        return start + Point(x: direction.x * distance, y: direction.y * distance).subpixelRounded
    }

    /// Distances from the start between which the segment can touch `box`; nil where it cannot.
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

/// Where along a line a pen is down.
struct StrokeDashes {
    private let lengths: [Double]
    private let period: Double

    /// `lengths`: down, up and so on in turn; empty for always down.
    init(_ lengths: [Double]) {
        self.lengths = lengths
        period = lengths.reduce(0, +)
    }

    /// A stretch of a segment, as distances from its start.
    struct Part: Equatable {
        let start: Double
        let end: Double
        /// Whether the pen goes down at `start`, and up at `end`; otherwise the segment begins or ends there.
        let beginsHere: Bool
        let endsHere: Bool
    }

    /// Whether the pen is down both before and after `travelled` pixels from the contour's start.
    func runsOn(at travelled: Double) -> Bool {
        guard !lengths.isEmpty else { return true }
        var rest = travelled - (travelled / period).rounded(.down) * period
        for (index, length) in lengths.enumerated() {
            if rest < length { return index.isMultiple(of: 2) && rest > 0 }
            rest -= length
        }
        return false
    }

    /// Where the pen is down in a segment of `length` that begins `travelled` pixels from the contour's start; what lies
    /// outside `visible` may be missing.
    func parts(of length: Double, from travelled: Double, visible: ClosedRange<Double>) -> [Part] {
        guard !lengths.isEmpty else { return [Part(start: 0, end: length, beginsHere: false, endsHere: false)] }
        var parts: [Part] = []
        var turn = ((travelled + visible.lowerBound) / period).rounded(.down)
        // Every place follows from the number of its turn, so that it does not matter from where on parts are made.
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
