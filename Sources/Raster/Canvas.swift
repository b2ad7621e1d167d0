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
        let (left, right) = (max(left, 0), min(right, Double(pixmap.width)))
        let (top, bottom) = (max(top, 0), min(bottom, Double(pixmap.height)))
        guard left < right, top < bottom else { return }
        let box = PixelBox(
            left: Int(left), top: Int(top), right: Int(right.rounded(.up)), bottom: Int(bottom.rounded(.up)))
        let isWhole = [left, top, right, bottom].allSatisfy { $0 == $0.rounded() }
        if isWhole, color.alpha == 255 { return replace(box, with: color) }
        let columns = (box.left..<box.right).map { min(Double($0 + 1), right) - max(Double($0), left) }
        var coverage = Coverage(box)
        for row in box.top..<box.bottom {
            let height = min(Double(row + 1), bottom) - max(Double(row), top)
            for (column, width) in columns.enumerated() { coverage[column, row - box.top] = width * height }
        }
        blend(coverage, color: color)
    }

    /// Draws lines of `width` pixels along `path`, with round ends and joins.
    public mutating func stroke(_ path: Path, width: Double, color: RGBA) {
        guard let box = box(around: path, margin: width / 2 + 1) else { return }
        var coverage = StrokeCoverage(box, width: width)
        for contour in path.contours { coverage.add(contour) }
        blend(coverage.coverage, color: color)
    }

    /// The pixels of the canvas that `path` can touch; nil where there are none.
    private func box(around path: Path, margin: Double) -> PixelBox? {
        guard let extent = path.extent else { return nil }
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

    private mutating func blend(_ coverage: borrowing Coverage, color: RGBA) {
        let box = coverage.box
        let alphas = Self.alphas(of: color)
        let rowBytes = pixmap.width * 4
        let values = coverage.values
        pixmap.bytes.withUnsafeMutableBufferPointer { bytes in
            var index = 0
            for row in box.top..<box.bottom {
                var target = row * rowBytes + box.left * 4
                for _ in box.left..<box.right {
                    let alpha = alphas[Int(values[index] * Self.coverageSteps + 0.5)]
                    if alpha != 0 { Self.blend(color, alpha: alpha, onto: &bytes, at: target) }
                    index += 1
                    target += 4
                }
            }
        }
    }

    /// Coverage has 16 steps: finer ones are hardly seen, and would give drawings more colours than a palette holds.
    private static let coverageSteps = 16.0

    private static func alphas(of color: RGBA) -> [Int] {
        (0...16).map { ($0 * Int(color.alpha) + 8) / 16 }
    }

    /// Source-over of straight colours (W3C Compositing 1, 5.1), rounded to nearest.
    private static func blend(
        _ color: RGBA, alpha: Int, onto bytes: inout UnsafeMutableBufferPointer<UInt8>, at target: Int
    ) {
        let below = Int(bytes[target + 3]) * (255 - alpha)
        let total = alpha * 255 + below
        func mixed(_ source: UInt8, _ old: UInt8) -> UInt8 {
            UInt8(truncatingIfNeeded: (Int(source) * alpha * 255 + Int(old) * below + total / 2) / total)
        }
        bytes[target] = mixed(color.red, bytes[target])
        bytes[target + 1] = mixed(color.green, bytes[target + 1])
        bytes[target + 2] = mixed(color.blue, bytes[target + 2])
        bytes[target + 3] = UInt8(truncatingIfNeeded: (total + 127) / 255)
    }
}
