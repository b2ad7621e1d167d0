/// A small shape that is drawn at many places. Its coverage, the share of each pixel that the shape covers, is computed
/// only once.
package struct Stamp {
    /// The coverage of the shape, in a box whose upper left pixel is (0, 0).
    private let coverage: Coverage
    /// The upper left pixel of this box, relative to the shape's origin.
    private let (column, row): (Int, Int)

    /// Computes the coverage of `path`, whose points are in pixels from the shape's origin. Returns nil if the path is
    /// empty.
    package init?(_ path: Path, rule: Canvas.FillRule = .nonZero) {
        guard let extent = path.extent else { return nil }
        // Moves the shape to the pixel (0, 0), because coverage has no pixels left of 0 or above 0.
        let (left, top) = (extent.left.rounded(.down), extent.top.rounded(.down))
        (column, row) = (Int(left), Int(top))
        var area = AreaCoverage(
            PixelBox(
                left: 0, top: 0, right: Int((extent.right - left).rounded(.up)),
                bottom: Int((extent.bottom - top).rounded(.up))))
        for contour in path.contours { area.add(contour.map { Point(x: $0.x - left, y: $0.y - top) }) }
        coverage = area.resolved(rule)
    }

    /// Calls `body` for each row of the shape that is on a canvas of the size `canvas`. The origin of the shape is at
    /// the pixel (`x`, `y`) of the canvas. `row` and `first` are the row and the column of the first pixel on the
    /// canvas. The buffer has the coverage of the pixels from `first` on.
    fileprivate func forEachRow(
        of canvas: (width: Int, height: Int), at x: Int, _ y: Int,
        _ body: (_ first: Int, _ row: Int, UnsafeBufferPointer<UInt8>) -> Void
    ) {
        let (left, top, box) = (column + x, row + y, coverage.box)
        let (first, end) = (max(left, 0), min(left + box.width, canvas.width))
        guard first < end, top < canvas.height, top + box.height > 0 else { return }
        coverage.levels.withUnsafeBufferPointer { levels in
            for line in max(top, 0)..<min(top + box.height, canvas.height) {
                let start = (line - top) * box.width - left
                body(first, line, UnsafeBufferPointer(rebasing: levels[start + first..<start + end]))
            }
        }
    }
}

extension Canvas {
    /// Draws `stamp` in `color`. The origin of the stamp is the upper left corner of the pixel (`column`, `row`). Parts
    /// outside the canvas are left out.
    package mutating func draw(_ stamp: borrowing Stamp, column: Int, row: Int, color: RGBA) {
        let size = (pixmap.width, pixmap.height)
        withPixels { pixels in
            let ink = Ink(color)
            stamp.forEachRow(of: size, at: column, row) { first, row, levels in
                let start = row * size.0 + first
                ink.blend(levels, onto: UnsafeMutableBufferPointer(rebasing: pixels[start..<start + levels.count]))
            }
        }
    }
}
