/// Draws shapes with smooth edges onto a picture. Each shape is drawn over the existing pixels.
///
/// Thread rule: one thread at a time.
public struct Canvas: Sendable {
    /// The picture that has been drawn so far.
    public private(set) var pixmap: Pixmap

    /// Creates a canvas of `width` by `height` pixels, 1…16384 a side.
    public init(width: Int, height: Int, background: RGBA = .transparent) {
        pixmap = Pixmap(width: width, height: height, color: background)
    }

    /// Creates a canvas whose content is `pixmap`.
    public init(_ pixmap: Pixmap) {
        self.pixmap = pixmap
    }

    /// The rule that decides which points are inside a path that crosses itself.
    public enum FillRule: Sendable {
        /// Points around which the path winds are inside. The result is exact if contours of one direction do not
        /// overlap.
        case nonZero
        /// Points with an odd number of crossings to the outside are inside. An inner contour is a hole.
        case evenOdd
    }

    /// Fills the contours of `path`. Open contours are closed.
    public mutating func fill(_ path: Path, rule: FillRule = .nonZero, color: RGBA) {
        guard let box = box(around: path, margin: 0) else { return }
        var coverage = AreaCoverage(box)
        for contour in path.contours { coverage.add(contour) }
        blend(coverage.resolved(rule), color: color)
    }

    /// Fills the rectangle between (`left`, `top`) and (`right`, `bottom`). Only the part on the canvas costs time.
    public mutating func fillRectangle(left: Double, top: Double, right: Double, bottom: Double, color: RGBA) {
        let (low, high) = (Point(x: left, y: top).subpixelRounded, Point(x: right, y: bottom).subpixelRounded)
        let (left, right) = (max(low.x, 0), min(high.x, Double(pixmap.width)))
        let (top, bottom) = (max(low.y, 0), min(high.y, Double(pixmap.height)))
        guard left < right, top < bottom else { return }
        let box = PixelBox(
            left: Int(left), top: Int(top), right: Int(right.rounded(.up)), bottom: Int(bottom.rounded(.up)))
        let isWhole = [left, top, right, bottom].allSatisfy { $0 == $0.rounded() }
        if isWhole, color.alpha == 255 { return replace(box, with: color) }
        let columns = (box.left..<box.right).map { min(Double($0 + 1), right) - max(Double($0), left) }
        var coverage = Coverage(box)
        for row in box.top..<box.bottom {
            let height = min(Double(row + 1), bottom) - max(Double(row), top)
            for (column, width) in columns.enumerated() {
                coverage.levels[(row - box.top) * box.width + column] = Coverage.level(width * height)
            }
        }
        blend(coverage, color: color)
    }

    /// Draws lines of `width` pixels along `path`, with round ends and joins.
    public mutating func stroke(_ path: Path, width: Double, color: RGBA) {
        stroke(path, style: StrokeStyle(width: width), color: color)
    }

    /// Draws lines along `path`. If the last point of a contour equals its first point, the line is closed: it has a
    /// corner there and no ends.
    ///
    /// Parts of a line far outside the canvas cost almost no time. If the width is not finite and above 0, nothing is
    /// drawn.
    public mutating func stroke(_ path: Path, style: StrokeStyle, color: RGBA) {
        guard style.width > 0, style.width.isFinite, let box = box(around: path, margin: style.reach + 1) else {
            return
        }
        if style.join == .round, style.cap == .round, style.usableDashes.isEmpty {
            var pen = StrokeCoverage(box, width: style.width)
            for contour in path.contours { pen.add(contour) }
            blend(pen.coverage, color: color)
        } else {
            var outline = StrokeOutline(box, style: style)
            for contour in path.contours { outline.add(contour) }
            blend(outline.coverage.resolved(.nonZero), color: color)
        }
    }

    /// Returns the pixels of the canvas that `path` can affect, or nil if there are none.
    private func box(around path: Path, margin: Double) -> PixelBox? {
        path.extent.flatMap { box(around: $0, margin: margin) }
    }

    func box(
        around extent: (left: Double, top: Double, right: Double, bottom: Double), margin: Double
    ) -> PixelBox? {
        let left = max(0, (extent.left - margin).rounded(.down))
        let top = max(0, (extent.top - margin).rounded(.down))
        let right = min(Double(pixmap.width), (extent.right + margin).rounded(.up))
        let bottom = min(Double(pixmap.height), (extent.bottom + margin).rounded(.up))
        guard left < right, top < bottom else { return nil }
        return PixelBox(left: Int(left), top: Int(top), right: Int(right), bottom: Int(bottom))
    }

    /// Sets the pixels of `box` to an opaque colour. Blending with full coverage would give an equal result.
    private mutating func replace(_ box: PixelBox, with color: RGBA) {
        let width = pixmap.width
        pixmap.bytes.withUnsafeMutableBytes { bytes in
            let pixels = bytes.bindMemory(to: RGBA.self)
            for row in box.top..<box.bottom {
                pixels[(row * width + box.left)..<(row * width + box.right)].update(repeating: color)
            }
        }
    }

    mutating func blend(_ coverage: borrowing Coverage, color: RGBA) {
        let box = coverage.box
        let ink = Ink(color)
        let width = pixmap.width
        pixmap.bytes.withUnsafeMutableBytes { bytes in
            let pixels = bytes.bindMemory(to: RGBA.self)
            coverage.levels.withUnsafeBufferPointer { levels in
                for row in 0..<box.height {
                    let first = (row + box.top) * width + box.left
                    ink.blend(
                        UnsafeBufferPointer(rebasing: levels[row * box.width..<(row + 1) * box.width]),
                        onto: UnsafeMutableBufferPointer(rebasing: pixels[first..<first + box.width]))
                }
            }
        }
    }

    /// Calls `body` once with all pixels of the canvas. The rows follow each other from top to bottom.
    mutating func withPixels(_ body: (UnsafeMutableBufferPointer<RGBA>) -> Void) {
        pixmap.bytes.withUnsafeMutableBytes { body($0.bindMemory(to: RGBA.self)) }
    }

    /// The maximum number of edges that are drawn between two calls of `isWanted`.
    private static let slice = 16

    /// Draws `shape` in `color`. The shape must have been created for a canvas of this size. The pixels equal those of
    /// `fill` and `stroke` of the shape's path.
    ///
    /// Calls `isWanted` on the caller's thread before every 16 edges, and at least once for each part of the shape.
    /// Returns false if `isWanted` returned false. The shape is then incomplete.
    @discardableResult
    package mutating func draw(_ shape: BandedShape, color: RGBA, isWanted: () -> Bool = { true }) -> Bool {
        var isWhole = true
        shape.forEachPart { part in
            isWhole = draw(part, shape.pen, color, isWanted: isWanted)
            return isWhole
        }
        return isWhole
    }

    private mutating func draw(
        _ part: BandedShape.Part, _ pen: BandedShape.Pen, _ color: RGBA, isWanted: () -> Bool
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

    // Functions that draw in parts. These functions are for shapes that would take too much memory as a `Path`, and for
    // callers that count the cost.

    /// A box in pixels. Any part of the box may lie outside the canvas.
    package typealias Extent = (left: Double, top: Double, right: Double, bottom: Double)

    /// Returns an empty area for outlines within `extent`, or nil if `extent` lies at least a pixel outside the canvas.
    package func area(within extent: Extent) -> AreaCoverage? {
        box(around: extent, margin: 1).map { AreaCoverage($0) }
    }

    /// Returns an empty drawing for lines of `width` pixels, above 0. The points of the lines must lie within `extent`.
    /// Returns nil if `extent` is at least `width` + 1 pixels outside the canvas, where no part of a line is visible.
    package func lines(within extent: Extent, width: Double) -> StrokeCoverage? {
        box(around: extent, margin: width + 1).map { StrokeCoverage($0, width: width) }
    }

    /// Fills an area. All its outlines must be closed.
    package mutating func fill(_ area: borrowing AreaCoverage, rule: FillRule = .nonZero, color: RGBA) {
        blend(area.resolved(rule), color: color)
    }

    /// Draws lines with round ends and joins.
    package mutating func stroke(_ lines: borrowing StrokeCoverage, color: RGBA) {
        blend(lines.coverage, color: color)
    }
}

extension Ink {
    /// Blends a row of pixels with the ink. `levels` has the coverage of each pixel, 0…255.
    func blend(_ levels: UnsafeBufferPointer<UInt8>, onto pixels: UnsafeMutableBufferPointer<RGBA>) {
        var column = 0
        while column < levels.count {
            let end = levels.endOfRun(from: column)
            blend(levels[column], onto: UnsafeMutableBufferPointer(rebasing: pixels[column..<end]))
            column = end
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Returns the index behind the run of equal values that begins at `start`.
    fileprivate func endOfRun(from start: Int) -> Int {
        let value = self[start]
        let eight = UInt64(value) &* 0x0101_0101_0101_0101
        let bytes = UnsafeRawBufferPointer(self)
        var end = start + 1
        while end + 8 <= count, bytes.loadUnaligned(fromByteOffset: end, as: UInt64.self) == eight { end += 8 }
        while end < count, self[end] == value { end += 1 }
        return end
    }
}
