/// Draws anti-aliased shapes onto pixels, each over what is there.
///
/// Thread rule: a value; one thread at a time.
public struct Canvas: Sendable {
    /// What has been drawn.
    public private(set) var pixmap: Pixmap

    /// A canvas of `width` by `height` pixels, 1…16384 a side.
    public init(width: Int, height: Int, background: RGBA = .transparent) {
        pixmap = Pixmap(width: width, height: height, color: background)
    }

    /// A canvas that shows `pixmap`.
    public init(_ pixmap: Pixmap) {
        self.pixmap = pixmap
    }

    /// Which points are inside a path that meets itself.
    public enum FillRule: Sendable {
        /// Those the path winds around. Exact where contours of one direction do not overlap.
        case nonZero
        /// Those with an odd number of crossings to the outside; an inner contour is a hole.
        case evenOdd
    }

    /// Fills the contours of `path`, closing each.
    public mutating func fill(_ path: Path, rule: FillRule = .nonZero, color: RGBA) {
        guard let box = box(around: path, margin: 0) else { return }
        var coverage = AreaCoverage(box)
        for contour in path.contours { coverage.add(contour) }
        blend(coverage.resolved(rule), color: color)
    }

    /// Fills the rectangle between (`left`, `top`) and (`right`, `bottom`), of which only the part on the canvas costs.
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

    /// Draws lines along `path`. A contour that ends where it begins is closed: it has a join there and no ends.
    ///
    /// Only what is near the canvas costs, however long the lines are. A width that is not above 0 draws nothing.
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

    /// The pixels of the canvas that `path` can touch; nil where there are none.
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

    /// What blending comes to where every pixel is covered by an opaque colour.
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
                    let levels = UnsafeBufferPointer(rebasing: levels[row * box.width..<(row + 1) * box.width])
                    var column = 0
                    while column < box.width {
                        let end = levels.endOfRun(from: column)
                        let run = UnsafeMutableBufferPointer(rebasing: pixels[first + column..<first + end])
                        ink.blend(levels[column], onto: run)
                        column = end
                    }
                }
            }
        }
    }

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

    // Drawing in parts, for what would take too much memory as a `Path`, and where the work is counted.

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

extension UnsafeBufferPointer<UInt8> {
    /// Behind the last of the values from `start` on that are equal.
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
