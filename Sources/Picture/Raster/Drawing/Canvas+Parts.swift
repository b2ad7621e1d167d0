/// Drawing in parts, for what would take too much memory as a `Path`, and where the work is counted.
extension Canvas {
    /// A box in pixels, any part of which may lie beside the canvas.
    package typealias Extent = (left: Double, top: Double, right: Double, bottom: Double)

    /// An area within `extent`, whose outlines are to be added; nil where that is beside the canvas.
    package func area(within extent: Extent) -> AreaCoverage? {
        box(around: extent, margin: 1).map { AreaCoverage($0) }
    }

    /// Lines of `width` pixels, above 0, whose points lie within `extent`; nil where they cannot be seen.
    package func lines(within extent: Extent, width: Double) -> StrokeCoverage? {
        box(around: extent, margin: width + 1).map { StrokeCoverage($0, width: width) }
    }

    /// Fills an area whose outlines are all closed.
    package mutating func fill(_ area: borrowing AreaCoverage, rule: FillRule = .nonZero, color: RGBA) {
        blend(area.resolved(rule), color: color)
    }

    /// Draws lines with round ends and joins.
    package mutating func stroke(_ lines: borrowing StrokeCoverage, color: RGBA) {
        blend(lines.coverage, color: color)
    }
}
