extension Canvas {
    /// Edges that are drawn between two questions whether the drawing is still wanted.
    private static let slice = 16

    /// Draws `shape`, which was made for a canvas of this size, in `color`: the same pixels as `fill` and `stroke` of its path.
    ///
    /// Asks `isWanted` after a millisecond at most, on the caller's thread. Returns false where that said no: then some of
    /// the shape is drawn.
    @discardableResult
    package mutating func draw(_ shape: BandedShape, color: RGBA, isWanted: () -> Bool = { true }) -> Bool {
        var isWhole = true
        shape.forEachPart { part in
            isWhole = draw(part, shape.pen, color, isWanted)
            return isWhole
        }
        return isWhole
    }

    private mutating func draw(
        _ part: BandedShape.Part, _ pen: BandedShape.Pen, _ color: RGBA, _ isWanted: () -> Bool
    ) -> Bool {
        func slices(_ add: (ArraySlice<BandedShape.Edge>) -> Void) -> Bool {
            var edges = part.edges[...]
            repeat {
                guard isWanted() else { return false }
                add(edges.prefix(Self.slice))
                edges = edges.dropFirst(Self.slice)
            } while !edges.isEmpty
            return true
        }
        switch pen {
        case .none:
            var area = AreaCoverage(part.box)
            guard slices({ area.add($0) }) else { return false }
            blend(area.resolved(.nonZero), color: color)
        case .round(let width):
            var line = StrokeCoverage(part.box, width: width)
            guard slices({ line.add($0) }) else { return false }
            blend(line.coverage, color: color)
        }
        return true
    }
}
