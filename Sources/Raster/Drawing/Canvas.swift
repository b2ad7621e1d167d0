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
                    for column in 0..<box.width {
                        let level = levels[row * box.width + column]
                        if level != 0 { ink.blend(level, onto: &pixels[first + column]) }
                    }
                }
            }
        }
    }
}

/// A colour at each level of coverage.
private struct Ink {
    private let color: RGBA
    private let alphas: [Int]
    private let isOpaque: Bool

    init(_ color: RGBA) {
        self.color = color
        let full = Int(Coverage.full)
        alphas = (0...full).map { ($0 * Int(color.alpha) + full / 2) / full }
        isOpaque = color.alpha == 255
    }

    /// Source-over of straight colours (W3C Compositing 1, 5.1), rounded to nearest.
    func blend(_ level: UInt8, onto pixel: inout RGBA) {
        if isOpaque, level == Coverage.full {
            pixel = color
            return
        }
        let alpha = alphas[Int(level)]
        guard alpha != 0 else { return }
        let below = Int(pixel.alpha) * (255 - alpha)
        let total = alpha * 255 + below
        func mixed(_ source: UInt8, _ old: UInt8) -> UInt8 {
            UInt8(truncatingIfNeeded: (Int(source) * alpha * 255 + Int(old) * below + total / 2) / total)
        }
        pixel = RGBA(
            red: mixed(color.red, pixel.red), green: mixed(color.green, pixel.green),
            blue: mixed(color.blue, pixel.blue), alpha: UInt8(truncatingIfNeeded: (total + 127) / 255))
    }
}
